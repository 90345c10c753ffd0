#include "engine/kernels/layout.h"

#include <algorithm>
#include <numeric>

#include "engine/kernels/pieces.h"

namespace phasor::kernels {

// Tile by tile through the stack: lines of x a power of two apart would drive one another from the cache.
void transpose(std::int64_t rows, std::int64_t columns, std::span<const float> x, std::span<float> y) {
  constexpr std::int64_t kTile = 64;
  parallel_for_ranges(columns, kTile, [&](std::int64_t left, std::int64_t right) {
    float tile[kTile][kTile];
    for (std::int64_t top = 0; top < rows; top += kTile) {
      const std::int64_t height = std::min(kTile, rows - top);
      for (std::int64_t i = 0; i < height; ++i)
        for (std::int64_t j = left; j < right; ++j) tile[j - left][i] = x[(top + i) * columns + j];
      for (std::int64_t j = left; j < right; ++j) std::copy_n(tile[j - left], height, y.data() + j * rows + top);
    }
  });
}

void copy(std::span<const float> x, std::span<float> y) {
  parallel_for_ranges(static_cast<std::int64_t>(x.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    std::copy(x.begin() + begin, x.begin() + end, y.begin() + begin);
  });
}

void iota(std::span<std::int32_t> y) { std::iota(y.begin(), y.end(), 0); }

}  // namespace phasor::kernels
