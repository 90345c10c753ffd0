#include "engine/kernels/layout.h"

#include <algorithm>
#include <numeric>

#include "engine/base/bfloat16.h"
#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

// Tile by tile through the stack: lines of x a power of two apart would drive one another from the cache.
template <class T>
void transpose(std::int64_t rows, std::int64_t columns, std::span<const T> x, std::span<T> y) {
  constexpr std::int64_t kTile = 64;
  parallel_for_ranges(columns, kTile, [&](std::int64_t left, std::int64_t right) {
    T tile[kTile][kTile];
    for (std::int64_t top = 0; top < rows; top += kTile) {
      const std::int64_t height = std::min(kTile, rows - top);
      for (std::int64_t i = 0; i < height; ++i)
        for (std::int64_t j = left; j < right; ++j) tile[j - left][i] = x[(top + i) * columns + j];
      for (std::int64_t j = left; j < right; ++j) std::copy_n(tile[j - left], height, y.data() + j * rows + top);
    }
  });
}

template <class T>
void copy(std::span<const T> x, std::span<T> y) {
  parallel_for_ranges(static_cast<std::int64_t>(x.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    std::copy(x.begin() + begin, x.begin() + end, y.begin() + begin);
  });
}

void places(const Segments& segments, std::span<std::int32_t> y) {
  std::ranges::fill(y, 0);
  for (std::int64_t row = 0; row < segments.rows(); ++row) {
    for (std::int64_t n = 0; n < segments.of_a_row(); ++n) {
      const Segment segment = segments.at(row, n);
      const auto first = y.begin() + row * segments.sequence() + segment.first;
      std::iota(first, first + segment.tokens, 0);
    }
  }
}

template void transpose(std::int64_t, std::int64_t, std::span<const float>, std::span<float>);
template void transpose(std::int64_t, std::int64_t, std::span<const bfloat16>, std::span<bfloat16>);
template void copy(std::span<const float>, std::span<float>);
template void copy(std::span<const bfloat16>, std::span<bfloat16>);

}  // namespace phasor::kernels
