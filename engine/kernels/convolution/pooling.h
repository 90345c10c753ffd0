// Maxima of windows of images, and where their gradient goes. T is float or bfloat16 (see elementwise.h).
//
//   x  [planes, height, width], a plane for each image and channel
//   y  [planes, out_height, out_width]:
//   m[p, i, j] = max over k, l < window of x[p, i stride + k, j stride + l],  y = m, or max(m, 0) where relu is asked
//   for
//   indices, likewise: k window + l of the first element that is m, or kNoGradient where that is NaN or became 0
//
// What of x no window reaches counts for nothing. A NaN in a window is its maximum.
#pragma once

#include <cstdint>
#include <span>

namespace phasor::kernels {

struct PoolingShape {
  std::int64_t planes = 0, height = 0, width = 0;
  std::int64_t window = 2, stride = 2;
  bool relu = false;

  std::int64_t out_height() const { return (height - window) / stride + 1; }
  std::int64_t out_width() const { return (width - window) / stride + 1; }
};

inline constexpr std::uint8_t kNoGradient = 255;  // windows have fewer elements

template <class T>
void max_pool2d(const PoolingShape& shape, std::span<const T> x, std::span<T> y, std::span<std::uint8_t> indices);

// dx gets dy where the indices, those of max_pool2d, say; where windows overlap, the sum, made in float. `scratch`
// holds max_pool2d_gradient_scratch elements, for teams of at most `workers` threads.
template <class T>
void max_pool2d_gradient(const PoolingShape& shape, std::span<const std::uint8_t> indices, std::span<const T> dy,
                         std::span<T> dx, std::span<float> scratch);
std::int64_t max_pool2d_gradient_scratch(const PoolingShape& shape, int workers);

}  // namespace phasor::kernels
