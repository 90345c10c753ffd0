#include "engine/kernels/product_cut.h"

#include <algorithm>

namespace phasor::kernels {

namespace {

constexpr std::int64_t pieces(std::int64_t size, std::int64_t part) { return (size + part - 1) / part; }

// Equal parts of which each is nearest to `part`, rounded up to what kernels take at a time.
std::int64_t even_part(std::int64_t size, std::int64_t part, std::int64_t unit) {
  const std::int64_t count = std::max<std::int64_t>(1, (size + part / 2) / part);
  return std::min(size, pieces(pieces(size, count), unit) * unit);
}

}  // namespace

// As leave each some 50 million operations, which repay handing it out, and 64 rows, which repay what it does to all of
// b. Their number is a power of two, for teams to share evenly, so rows are rounded up by little: to what kernels take
// at a time. What is less is halved, while it is not so little that a thread has done it sooner than another has begun.
Cut rows_cut(const ProductShape& s) {
  constexpr std::int64_t kOperations = 50'000'000, kMostPieces = 16, kLeastRows = 64, kBlockRows = 32;
  constexpr std::int64_t kLeastHalved = 5'000'000, kLeastRowsHalved = 32, kFewRows = 4;
  const std::int64_t operations = 2 * s.m * s.n * s.k;
  if (operations <= kOperations) {
    const bool halves = operations >= kLeastHalved && s.m >= kLeastRowsHalved;
    return {.rows = halves ? pieces(pieces(s.m, 2), kFewRows) * kFewRows : std::max<std::int64_t>(1, s.m),
            .columns = s.n};
  }
  std::int64_t count = 1;
  while (count < kMostPieces && operations > count * kOperations && s.m >= 2 * count * kLeastRows) count *= 2;
  const std::int64_t rows = std::max(kLeastRows, pieces(pieces(s.m, count), kBlockRows) * kBlockRows);
  return {.rows = std::min(s.m, rows), .columns = s.n};
}

// Where m or n is less than a register or two hold, reading the other operand takes as long as if it were not.
//
// What a library adds up otherwise at the edge of a call than within it does so by columns at any border, but by rows
// not where they are so many at a time: the bits of a row do not depend on how many others there are, as long as those
// are samples of such a length. So columns are cut by n alone, but for a product of few rows.
Cut tile_cut(const ProductShape& s, const Tile& tile) {
  constexpr std::int64_t kUnit = 48, kFew = 16, kFewPieces = 4, kLeastOperations = 5'000'000;
  const auto operations = [&](const Cut& cut) {
    return 2 * std::max(cut.rows, kFew) * std::max(cut.columns, kFew) * s.k;
  };
  Cut cut{.rows = even_part(s.m, tile.rows, kUnit), .columns = even_part(s.n, tile.columns, kUnit)};
  const bool by_rows = s.m >= kUnit;
  std::int64_t Cut::*const side = by_rows ? &Cut::rows : &Cut::columns;
  while (pieces(s.m, cut.rows) * pieces(s.n, cut.columns) < kFewPieces) {
    Cut half = cut;
    half.*side = pieces(cut.*side, 2 * kUnit) * kUnit;
    const bool too_small = half.*side < (by_rows ? tile.least_rows : tile.least_columns) || half == cut;
    if (too_small || operations(half) < kLeastOperations) break;
    cut = half;
  }
  while (operations(cut) < kLeastOperations && cut.*side < (by_rows ? s.m : s.n)) {
    cut.*side = std::min(by_rows ? s.m : s.n, 2 * (cut.*side));
  }
  return cut;
}

Cut cut_of(const ProductShape& shape) {
  const Tile tile = backend_of(whole(shape)).tile;
  if (shape.m == 0 || shape.n == 0 || shape.k == 0 || tile.rows == 0) return rows_cut(shape);
  return tile_cut(shape, tile);
}

}  // namespace phasor::kernels
