// How a product by panels is cut into blocks of c: by its sizes and the kernel. The number of threads may make blocks
// smaller, which no bit shows.
#pragma once

#include "engine/kernels/product/panels/panel_kernel.h"
#include "engine/kernels/product/product.h"

namespace phasor::kernels {

constexpr std::int64_t pieces(std::int64_t size, std::int64_t part) { return (size + part - 1) / part; }

// The size in whole parts.
constexpr std::int64_t whole_parts(std::int64_t size, std::int64_t part) { return pieces(size, part) * part; }

// Bits depend on the last two, so these follow from n and k alone.
struct PanelBlocks {
  std::int64_t rows = 0, columns = 0;  // of a block of c, whole tiles; those of the last may be less
  std::int64_t columns_at_a_time = 0;  // of a block, that one call of the kernel makes
  std::int64_t depth = 0;              // steps of k between two additions to c
  std::int64_t cut_again = 0;          // blocks down, the last ones, whose columns are cut once more for a team
};

PanelBlocks panel_blocks(const PanelKernel& kernel, const ProductShape& shape, int threads = 1);

// Of c: so many rows and columns from these on.
struct PanelBlock {
  std::int64_t row = 0, rows = 0, column = 0, columns = 0;
};

// The blocks of so many rows and columns, in the order in which a team takes them: the small ones come last, so that no
// thread waits long for another, however unlike their speeds.
class PanelGrid {
 public:
  PanelGrid(const PanelBlocks& blocks, std::int64_t rows, std::int64_t columns);

  std::int64_t count() const { return whole_down_ * whole_across_ + cut_down_ * cut_across_; }
  PanelBlock at(std::int64_t number) const;

 private:
  // By its place among blocks of so many columns.
  PanelBlock block(std::int64_t down, std::int64_t across, std::int64_t columns) const;

  std::int64_t rows_, columns_, block_rows_, block_columns_, cut_columns_;
  std::int64_t whole_down_, whole_across_, cut_down_, cut_across_;
};

}  // namespace phasor::kernels
