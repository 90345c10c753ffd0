#include "engine/kernels/layout.h"

#include <algorithm>
#include <numeric>

#include "engine/kernels/pieces.h"

namespace phasor::kernels {

void transpose(std::int64_t rows, std::int64_t columns, std::span<const float> x, std::span<float> y) {
  constexpr std::int64_t kTile = 32;  // a tile of x and one of y fit the first-level cache together
  parallel_for_ranges(columns, kTile, [&](std::int64_t left, std::int64_t right) {
    for (std::int64_t top = 0; top < rows; top += kTile) {
      const std::int64_t bottom = std::min(top + kTile, rows);
      for (std::int64_t j = left; j < right; ++j)
        for (std::int64_t i = top; i < bottom; ++i) y[j * rows + i] = x[i * columns + j];
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
