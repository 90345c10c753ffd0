#include "engine/kernels/elementwise.h"

#include <algorithm>
#include <cstdint>

#include "engine/kernels/pieces.h"

namespace phasor::kernels {

void add(std::span<const float> a, std::span<const float> b, std::span<float> y) {
  const auto period = static_cast<std::int64_t>(b.size());
  const auto add_run = [](const float* left, const float* right, float* sum, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) sum[i] = left[i] + right[i];
  };
  parallel_for_ranges(static_cast<std::int64_t>(y.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t j = i % period, run = std::min(end - i, period - j);
      add_run(a.data() + i, b.data() + j, y.data() + i, run);
      i += run;
    }
  });
}

void reduce_sum(std::span<const float> x, std::span<float> y) {
  // A piece is a strip of columns, summed in blocks of rows: an error grows with a block's height and with the number
  // of blocks, not with their product.
  constexpr std::int64_t kStrip = 128, kBlock = 32;
  const auto columns = static_cast<std::int64_t>(y.size());
  if (columns == 0) return;
  const std::int64_t rows = static_cast<std::int64_t>(x.size()) / columns;
  parallel_for_ranges(columns, kStrip, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t width = end - begin;
    float total[kStrip] = {};
    for (std::int64_t first = 0; first < rows; first += kBlock) {
      float block[kStrip] = {};
      for (std::int64_t row = first; row < std::min(first + kBlock, rows); ++row) {
        const float* part = x.data() + row * columns + begin;
        for (std::int64_t j = 0; j < width; ++j) block[j] += part[j];
      }
      for (std::int64_t j = 0; j < width; ++j) total[j] += block[j];
    }
    std::copy_n(total, width, y.data() + begin);
  });
}

}  // namespace phasor::kernels
