#include "engine/kernels/product/panels/panel_blocks.h"

#include <algorithm>

namespace phasor::kernels {

namespace {

std::int64_t even_part(std::int64_t size, std::int64_t count, std::int64_t unit) {
  return whole_parts(pieces(size, count), unit);
}

}  // namespace

// A block's panels of a, and those of b that they are multiplied with at a time, stay in the second-level cache. Of
// blocks there is a multiple of four, for teams to share evenly, unless one were so little that a thread has done it
// sooner than another has begun; those of many rows, for which b is read less often, only where each thread gets some.
// The last are cut again where there are several down: those of few rows are small as they are.
PanelBlocks panel_blocks(const PanelKernel& kernel, const ProductShape& s, int threads) {
  constexpr std::int64_t kRows = 96, kColumns = 192, kLeastDepth = 8, kTeam = 4, kLeastOperations = 2'500'000;
  constexpr std::int64_t kLeastOfAThread = 4, kDownOfACut = 4;
  const bool has_many = pieces(s.m, kernel.most_rows) >= kLeastOfAThread * threads;
  PanelBlocks blocks;
  blocks.depth = even_part(s.k, pieces(s.k, kernel.depth), kLeastDepth);
  blocks.columns_at_a_time = even_part(s.n, pieces(s.n, kColumns), kernel.columns);
  const std::int64_t most = std::max<std::int64_t>(1, 2 * s.m * s.n * blocks.depth / kLeastOperations);
  const std::int64_t least_down = pieces(s.m, has_many ? kernel.most_rows : kRows);
  const std::int64_t down = least_down == 1 ? 1 : std::max(least_down, std::min(whole_parts(least_down, kTeam), most));
  const std::int64_t across = down >= kTeam ? 1 : std::max<std::int64_t>(1, std::min(pieces(kTeam, down), most / down));
  blocks.rows = even_part(s.m, down, kernel.rows);
  blocks.columns = even_part(s.n, across, blocks.columns_at_a_time);
  if (threads > 1) blocks.cut_again = std::min<std::int64_t>(threads, pieces(s.m, blocks.rows) / kDownOfACut);
  return blocks;
}

// Rows of a are copied to panels as often as their columns are cut, which costs less than reading b more often for
// fewer rows at a time.
PanelGrid::PanelGrid(const PanelBlocks& blocks, std::int64_t rows, std::int64_t columns)
    : rows_(rows), columns_(columns), block_rows_(blocks.rows), block_columns_(blocks.columns) {
  constexpr std::int64_t kParts = 4;
  cut_columns_ = even_part(std::min(columns, block_columns_), kParts, blocks.columns_at_a_time);
  const std::int64_t down = pieces(rows, block_rows_);
  cut_down_ = std::min(down, blocks.cut_again);
  whole_down_ = down - cut_down_;
  whole_across_ = pieces(columns, block_columns_);
  cut_across_ = pieces(columns, cut_columns_);
}

PanelBlock PanelGrid::at(std::int64_t number) const {
  const std::int64_t whole = whole_down_ * whole_across_, cut = number - whole;
  if (cut < 0) return block(number / whole_across_, number % whole_across_, block_columns_);
  return block(whole_down_ + cut / cut_across_, cut % cut_across_, cut_columns_);
}

PanelBlock PanelGrid::block(std::int64_t down, std::int64_t across, std::int64_t columns) const {
  const std::int64_t row = down * block_rows_, column = across * columns;
  return {.row = row,
          .rows = std::min(block_rows_, rows_ - row),
          .column = column,
          .columns = std::min(columns, columns_ - column)};
}

}  // namespace phasor::kernels
