#include "engine/kernels/elementwise.h"

#include <algorithm>
#include <cstdint>

#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

namespace {

template <class From, class To>
void convert_pieces(std::span<const From> x, std::span<To> y) {
  parallel_for_ranges(static_cast<std::int64_t>(y.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    const From* in = x.data();
    To* out = y.data();
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) out[i] = from_float<To>(to_float(in[i]));
  });
}

constexpr std::int64_t kStrip = 128;  // columns of a piece of reduce_sum

// out[j] = sum over i of x[i * columns + j] for j < width <= kStrip. Rows are summed in blocks: an error grows with a
// block's height and with the number of blocks, not with their product.
template <class T>
void sum_rows(const T* x, std::int64_t rows, std::int64_t columns, std::int64_t width, float* out) {
  constexpr std::int64_t kBlock = 32;
  float total[kStrip] = {};
  for (std::int64_t first = 0; first < rows; first += kBlock) {
    float block[kStrip] = {};
    for (std::int64_t row = first; row < std::min(first + kBlock, rows); ++row)
      for (std::int64_t j = 0; j < width; ++j) block[j] += to_float(x[row * columns + j]);
    for (std::int64_t j = 0; j < width; ++j) total[j] += block[j];
  }
  std::copy_n(total, width, out);
}

}  // namespace

template <class T>
void add(std::span<const T> a, std::span<const T> b, std::span<T> y) {
  const auto period = static_cast<std::int64_t>(b.size());
  const auto add_run = [](const T* left, const T* right, T* sum, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) sum[i] = from_float<T>(to_float(left[i]) + to_float(right[i]));
  };
  parallel_for_ranges(static_cast<std::int64_t>(y.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t j = i % period, run = std::min(end - i, period - j);
      add_run(a.data() + i, b.data() + j, y.data() + i, run);
      i += run;
    }
  });
}

// A piece is a strip of columns in a band of rows. There is more than one band where columns are few and rows many;
// the bands' sums, on the stack, are added in order.
template <class T>
void reduce_sum(std::span<const T> x, std::span<float> y) {
  constexpr std::int64_t kSums = 4096;
  const auto columns = static_cast<std::int64_t>(y.size()), count = static_cast<std::int64_t>(x.size());
  if (columns == 0) return;
  const std::int64_t rows = count / columns, strips = (columns + kStrip - 1) / kStrip;
  const std::int64_t bands = std::clamp<std::int64_t>(std::min(kSums / columns, count / kGrain), 1, 16);
  const std::int64_t height = (rows + bands - 1) / bands;
  float sums[kSums];
  parallel_for(bands * strips, [&](std::int64_t piece) {
    const std::int64_t band = piece / strips, left = piece % strips * kStrip;
    const std::int64_t top = std::min(band * height, rows), bottom = std::min(top + height, rows);
    const std::int64_t width = std::min(kStrip, columns - left);
    float* out = bands == 1 ? y.data() + left : sums + band * columns + left;
    sum_rows(x.data() + top * columns + left, bottom - top, columns, width, out);
  });
  if (bands == 1) return;
  std::copy_n(sums, columns, y.data());
  for (std::int64_t band = 1; band < bands; ++band)
    for (std::int64_t j = 0; j < columns; ++j) y[j] += sums[band * columns + j];
}

void convert(std::span<const float> x, std::span<bfloat16> y) { convert_pieces(x, y); }
void convert(std::span<const bfloat16> x, std::span<float> y) { convert_pieces(x, y); }

template void add(std::span<const float>, std::span<const float>, std::span<float>);
template void add(std::span<const bfloat16>, std::span<const bfloat16>, std::span<bfloat16>);
template void reduce_sum(std::span<const float>, std::span<float>);
template void reduce_sum(std::span<const bfloat16>, std::span<float>);

}  // namespace phasor::kernels
