#include <array>
#include <vector>

#include "engine/kernels/product/onednn/onednn_description.h"
#include "engine/kernels/product/onednn/packing_onednn.h"
#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

namespace {

using dnnl::memory;

std::int64_t scratch_of(const OneDnnDescription& d) {
  return whole_lines(static_cast<std::int64_t>(d.product.scratchpad_desc().get_size()));
}

class OneDnnProduct final : public Product {
 public:
  OneDnnProduct(const ProductShape& s, int workers) {
    const OneDnnDescription d = describe(s).value();
    const OneThread alone;
    product_ = dnnl::matmul(d.product);
    scratch_bytes_ = scratch_of(d);
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
    Worker(const ProductShape& s, const OneDnnDescription& d)
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

bool serves(const ProductShape& s) {
  const bool is_dense =
      s.lda == (s.transpose_a ? s.m : s.k) && s.ldc == s.n && (s.packed_b || s.ldb == (s.transpose_b ? s.k : s.n));
  return s.m > 0 && s.n > 0 && s.k > 0 && is_dense && describe(s).has_value();
}

}  // namespace

ProductBackend onednn_products() {
  return {.name = "onednn",
          .serves = serves,
          .scratch_bytes = [](const ProductShape& s) { return scratch_of(describe(s).value()); },
          .make = [](const ProductShape& s, int workers) -> std::unique_ptr<Product> {
            return std::make_unique<OneDnnProduct>(s, workers);
          },
          .packed_b_bytes = onednn_packed_b_bytes,
          .make_packing = onednn_packing};
}

}  // namespace phasor::kernels
