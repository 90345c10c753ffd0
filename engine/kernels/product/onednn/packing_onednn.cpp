#include "engine/kernels/product/onednn/packing_onednn.h"

#include <array>
#include <vector>

#include "engine/kernels/product/onednn/onednn_description.h"
#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

namespace {

using dnnl::memory;

// A slice is some columns of b.
class OneDnnPacking final : public Packing {
 public:
  explicit OneDnnPacking(const ProductShape& s)
      : columns_(slice_columns(s.n)), step_bytes_(columns_ * (s.transpose_b ? s.ldb : 1) * size_of(s.operands)) {
    const dnnl::engine engine = onednn_engine();
    const memory::desc layout = packed_layout(s).value();
    const memory::dims sizes{s.k, columns_};
    const memory::desc from(sizes, onednn_type(s.operands),
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

}  // namespace

std::int64_t onednn_packed_b_bytes(const ProductShape& s) {
  const std::optional<memory::desc> layout = packed_layout(s);
  return layout ? whole_lines(static_cast<std::int64_t>(layout->get_size())) : 0;
}

std::unique_ptr<Packing> onednn_packing(const ProductShape& s) { return std::make_unique<OneDnnPacking>(s); }

}  // namespace phasor::kernels
