#include "engine/kernels/product/panels/panel_packing.h"

#include <algorithm>

#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

Lines columns_of(const ProductShape& s, const void* b) {
  return {.data = b, .type = s.operands, .stride = s.ldb, .side_by_side = !s.transpose_b};
}

void pack_columns(const Lines& b, const Columns& columns, const LineRange& range, const PanelKernel& kernel,
                  std::int64_t depth, float* panels) {
  for_each_depth(range, depth, [&](LineRange part) {
    float* const of_depth = panels + whole_parts(columns.count, kernel.columns) * (part.step - range.step);
    part.line += columns.first;
    pack_lines(b, part, kernel.columns, of_depth + range.line * part.depth);
  });
}

std::int64_t PanelPacking::bytes(const PanelKernel& kernel, const ProductShape& s) {
  return whole_lines((whole_parts(s.n, kernel.columns) * s.k + kernel.read_behind) * std::int64_t{sizeof(float)});
}

std::int64_t PanelPacking::slices() const { return pieces(shape_.n, kPanelsAtATime * kernel_.columns); }

void PanelPacking::run(std::int64_t slice, const void* b, void* packed) const {
  const std::int64_t lines = kPanelsAtATime * kernel_.columns, first = slice * lines;
  const LineRange range{.line = first, .count = std::min(lines, shape_.n - first), .depth = shape_.k};
  pack_columns(columns_of(shape_, b), {.count = shape_.n}, range, kernel_, panel_blocks(kernel_, shape_).depth,
               static_cast<float*>(packed));
}

}  // namespace phasor::kernels
