// The panels of b: of all columns for some steps of k, then those for the next steps.
#pragma once

#include <algorithm>

#include "engine/kernels/product/panels/pack_lines.h"
#include "engine/kernels/product/panels/panel_blocks.h"

namespace phasor::kernels {

inline constexpr std::int64_t kPanelsAtATime = 8;  // of b, that one thread packs

// Those that are packed next to each other.
struct Columns {
  std::int64_t first = 0, count = 0;
};

// Calls visit(range) for the steps of the range, at most `depth` at a time.
template <class Visit>
void for_each_depth(LineRange range, std::int64_t depth, Visit visit) {
  for (const std::int64_t end = range.step + range.depth; range.step < end; range.step += depth) {
    range.depth = std::min(depth, end - range.step);
    visit(range);
  }
}

// b of a whole shape.
Lines columns_of(const ProductShape& shape, const void* b);

// Packs some of `columns`, by the range's lines, which count from the first of them, for the range's steps. `panels`
// are those of all of them.
void pack_columns(const Lines& b, const Columns& columns, const LineRange& range, const PanelKernel& kernel,
                  std::int64_t depth, float* panels);

// All of b, for products of any number of rows. A slice is some columns.
class PanelPacking final : public Packing {
 public:
  PanelPacking(const PanelKernel& kernel, const ProductShape& shape) : kernel_(kernel), shape_(shape) {}

  static std::int64_t bytes(const PanelKernel& kernel, const ProductShape& shape);

  std::int64_t slices() const override;
  void run(std::int64_t slice, const void* b, void* packed) const override;

 private:
  const PanelKernel& kernel_;
  ProductShape shape_;
};

}  // namespace phasor::kernels
