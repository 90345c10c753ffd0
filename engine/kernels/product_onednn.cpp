// Products by oneDNN. Each is made and run as if the process had one thread, so that oneDNN never spreads the work
// itself: its bits then depend on the shape alone.
#include <array>
#include <omp.h>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/kernels/onednn_version.h"
#include "engine/kernels/product_backends.h"

namespace phasor::kernels {

namespace {

using dnnl::memory;

// While it lives, OpenMP offers the calling thread nobody but itself.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

memory::data_type type_of(DType type) { return type == DType::bf16 ? memory::data_type::bf16 : memory::data_type::f32; }

// rows x columns, stored so or as the transpose.
memory::desc dense(std::int64_t rows, std::int64_t columns, bool transposed, DType type) {
  return {{rows, columns}, type_of(type), transposed ? memory::dims{1, rows} : memory::dims{columns, 1}};
}

struct Description {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  memory::desc a, b, bias, c;
  dnnl::matmul::primitive_desc product;
};

// oneDNN lays b out as it likes where `b` is of the format `any`.
Description describe(const ProductShape& s, const memory::desc& b) {
  Description d;
  d.a = dense(s.m, s.k, s.transpose_a, s.operands);
  d.b = b;
  d.bias = dense(1, s.n, false, DType::f32);
  d.c = dense(s.m, s.n, false, s.result);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (s.accumulate) {
    dnnl::post_ops sum;
    sum.append_sum(1.0f);
    attributes.set_post_ops(sum);
  }
  const OneThread alone;
  d.product = describe_product(d.engine, d.a, d.b, s.bias ? &d.bias : nullptr, d.c, attributes);
  return d;
}

// The implementations called gemm take memory of their own when they run; those called ref are slow.
bool welcome(const dnnl::matmul::primitive_desc& product) {
  if (!product) return false;
  const std::string_view name = product.impl_info_str();
  return !name.starts_with("gemm") && !name.starts_with("ref");
}

// What every product of this b shares, whatever its m: its layout is asked for with one height of c.
std::optional<memory::desc> packed_layout(const ProductShape& s) {
  constexpr std::int64_t kHeight = 256, kWhole = 64;
  if (s.n % kWhole != 0 || s.k % kWhole != 0) return std::nullopt;  // the layout would be padded
  const ProductShape canonical{.m = kHeight, .n = s.n, .k = s.k, .operands = s.operands, .result = s.result};
  const Description d = describe(canonical, {{s.k, s.n}, type_of(s.operands), memory::format_tag::any});
  if (!welcome(d.product)) return std::nullopt;
  return d.product.weights_desc();
}

std::optional<Description> describe(const ProductShape& s) {
  if (!s.packed_b) return describe(s, dense(s.k, s.n, s.transpose_b, s.operands));
  const std::optional<memory::desc> layout = packed_layout(s);
  if (!layout) return std::nullopt;
  return describe(s, *layout);
}

void point(const memory& what, const void* data) { what.set_data_handle(const_cast<void*>(data)); }

// By the C interface, because the C++ one builds a map of the arguments for every call.
void execute(const dnnl::primitive& what, const dnnl::stream& stream, const dnnl_exec_arg_t* arguments, int count) {
  dnnl::error::wrap_c_api(dnnl_primitive_execute(what.get(), stream.get(), count, arguments), "oneDNN failed");
}

class OneDnnProduct final : public Product {
 public:
  OneDnnProduct(const ProductShape& s, int workers) {
    const Description d = *describe(s);
    const OneThread alone;
    product_ = dnnl::matmul(d.product);
    scratch_bytes_ = whole_lines(static_cast<std::int64_t>(d.product.scratchpad_desc().get_size()));
    for (int worker = 0; worker < workers; ++worker) workers_.emplace_back(s, d);
  }

  std::string_view backend() const override { return "onednn"; }
  std::int64_t scratch_bytes() const override { return scratch_bytes_; }

  void run(int worker, const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const override {
    const OneThread alone;
    workers_[worker].run(product_, a, b, bias, c, scratch);
  }

 private:
  // What oneDNN wants around the pointers of a call, made once.
  class Worker {
   public:
    Worker(const ProductShape& s, const Description& d)
        : stream_(d.engine),
          a_(d.a, d.engine, nullptr),
          b_(d.b, d.engine, nullptr),
          bias_(d.bias, d.engine, nullptr),
          c_(d.c, d.engine, nullptr),
          scratch_(d.product.scratchpad_desc(), d.engine, nullptr) {
      add(DNNL_ARG_SRC, a_);
      add(DNNL_ARG_WEIGHTS, b_);
      add(DNNL_ARG_DST, c_);
      add(DNNL_ARG_SCRATCHPAD, scratch_);
      if (s.bias) add(DNNL_ARG_BIAS, bias_);
    }

    void run(const dnnl::matmul& product, const void* a, const void* b, const float* bias, void* c,
             std::byte* scratch) const {
      point(a_, a);
      point(b_, b);
      point(bias_, bias);
      point(c_, c);
      point(scratch_, scratch);
      execute(product, stream_, arguments_.data(), count_);
    }

   private:
    void add(int role, const memory& what) { arguments_[count_++] = {role, what.get()}; }
    dnnl::stream stream_;
    memory a_, b_, bias_, c_, scratch_;
    std::array<dnnl_exec_arg_t, 5> arguments_{};
    int count_ = 0;
  };

  dnnl::matmul product_;
  std::int64_t scratch_bytes_ = 0;
  std::vector<Worker> workers_;
};

// A slice is some columns of b.
class OneDnnPacking final : public Packing {
 public:
  explicit OneDnnPacking(const ProductShape& s)
      : columns_(slice_columns(s.n)), step_bytes_(columns_ * (s.transpose_b ? s.ldb : 1) * size_of(s.operands)) {
    const dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    const memory::desc layout = packed_layout(s).value();
    const memory::dims sizes{s.k, columns_};
    const memory::desc from(sizes, type_of(s.operands),
                            s.transpose_b ? memory::dims{1, s.ldb} : memory::dims{s.ldb, 1});
    const OneThread alone;
    for (std::int64_t column = 0; column < s.n; column += columns_) {
      const memory::desc to = layout.submemory_desc(sizes, {0, column});
      slices_.push_back({.stream = dnnl::stream(engine),
                         .from = memory(from, engine, nullptr),
                         .to = memory(to, engine, nullptr),
                         .reorder = dnnl::reorder(dnnl::reorder::primitive_desc(engine, from, engine, to))});
    }
  }

  std::int64_t slices() const override { return static_cast<std::int64_t>(slices_.size()); }

  void run(std::int64_t index, const void* b, void* packed) const override {
    const OneThread alone;
    const Slice& slice = slices_[index];
    point(slice.from, static_cast<const std::byte*>(b) + index * step_bytes_);
    point(slice.to, packed);  // the layout knows where in it the slice belongs
    const std::array<dnnl_exec_arg_t, 2> arguments{{{DNNL_ARG_FROM, slice.from.get()}, {DNNL_ARG_TO, slice.to.get()}}};
    execute(slice.reorder, slice.stream, arguments.data(), 2);
  }

 private:
  struct Slice {
    dnnl::stream stream;
    memory from, to;
    dnnl::reorder reorder;
  };

  // Whole blocks of the layout, and few slices.
  static std::int64_t slice_columns(std::int64_t n) {
    for (std::int64_t columns : {256, 192, 128})
      if (n % columns == 0) return columns;
    return 64;
  }

  std::int64_t columns_, step_bytes_;
  std::vector<Slice> slices_;
};

bool serves(const ProductShape& s) {
  const bool is_dense =
      s.lda == (s.transpose_a ? s.m : s.k) && s.ldc == s.n && (s.packed_b || s.ldb == (s.transpose_b ? s.k : s.n));
  if (s.m == 0 || s.n == 0 || s.k == 0 || !is_dense) return false;
  const std::optional<Description> description = describe(s);
  return description && welcome(description->product);
}

}  // namespace

ProductBackend onednn_products() {
  return {.name = "onednn",
          .serves = serves,
          .scratch_bytes =
              [](const ProductShape& s) {
                return whole_lines(static_cast<std::int64_t>(describe(s)->product.scratchpad_desc().get_size()));
              },
          .make = [](const ProductShape& s, int workers) -> std::unique_ptr<Product> {
            return std::make_unique<OneDnnProduct>(s, workers);
          }};
}

std::int64_t onednn_packed_b_bytes(const ProductShape& s) {
  if (s.k == 0 || s.n == 0) return 0;
  const std::optional<memory::desc> layout = packed_layout(s);
  return layout ? whole_lines(static_cast<std::int64_t>(layout->get_size())) : 0;
}

std::unique_ptr<Packing> onednn_packing(const ProductShape& s) { return std::make_unique<OneDnnPacking>(s); }

}  // namespace phasor::kernels
