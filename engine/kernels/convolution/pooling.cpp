#include "engine/kernels/convolution/pooling.h"

#include <algorithm>

#include "engine/base/bfloat16.h"
#include "engine/kernels/convolution/pooling_two_by_two.h"
#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

namespace {

// Calls body(shape of a piece, its first plane, worker) for pieces that cover all planes.
template <class Body>
void parallel_for_planes(const PoolingShape& shape, Body body) {
  const std::int64_t planes = row_grain(shape.height * shape.width);
  parallel_for((shape.planes + planes - 1) / planes, [&](std::int64_t piece, int worker) {
    PoolingShape part = shape;
    part.planes = std::min(planes, shape.planes - piece * planes);
    body(part, piece * planes, worker);
  });
}

struct Maximum {
  float value;
  std::uint8_t index;
};

// Of the window that begins at x.
template <class T>
Maximum maximum(const PoolingShape& shape, const T* x) {
  Maximum most{to_float(x[0]), 0};
  std::uint8_t index = 0;
  for (std::int64_t k = 0; k < shape.window; ++k)
    for (std::int64_t l = 0; l < shape.window; ++l, ++index) {
      const float value = to_float(x[k * shape.width + l]);
      if (value > most.value || value != value) most = {value, index};
    }
  if (most.value != most.value) return {most.value, kNoGradient};
  return shape.relu && most.value <= 0 ? Maximum{0.0f, kNoGradient} : most;
}

template <class T>
void maxima(const PoolingShape& shape, const T* x, T* y, std::uint8_t* indices) {
  for (std::int64_t p = 0; p < shape.planes; ++p, x += shape.height * shape.width)
    for (std::int64_t i = 0; i < shape.out_height(); ++i)
      for (std::int64_t j = 0; j < shape.out_width(); ++j) {
        const auto [value, index] = maximum(shape, x + (i * shape.width + j) * shape.stride);
        *y++ = from_float<T>(value);
        *indices++ = index;
      }
}

// `sums`: a plane.
template <class T>
void gradient(const PoolingShape& shape, const std::uint8_t* indices, const T* dy, float* sums, T* dx) {
  const std::int64_t elements = shape.height * shape.width;
  for (std::int64_t p = 0; p < shape.planes; ++p, dx += elements) {
    std::fill_n(sums, elements, 0.0f);
    for (std::int64_t i = 0; i < shape.out_height(); ++i)
      for (std::int64_t j = 0; j < shape.out_width(); ++j, ++indices, ++dy) {
        if (*indices == kNoGradient) continue;
        const std::int64_t row = i * shape.stride + *indices / shape.window;
        sums[row * shape.width + j * shape.stride + *indices % shape.window] += to_float(*dy);
      }
    for (std::int64_t i = 0; i < elements; ++i) dx[i] = from_float<T>(sums[i]);
  }
}

}  // namespace

template <class T>
void max_pool2d(const PoolingShape& shape, std::span<const T> x, std::span<T> y, std::span<std::uint8_t> indices) {
  const std::int64_t elements = shape.height * shape.width, pixels = shape.out_height() * shape.out_width();
  parallel_for_planes(shape, [&](const PoolingShape& part, std::int64_t first, int) {
    const auto in = x.subspan(first * elements);
    const auto out = y.subspan(first * pixels, part.planes * pixels);
    const auto where = indices.subspan(first * pixels, part.planes * pixels);
    if (is_two_by_two(shape)) {
      two_by_two_maxima(part, in, out, where);
    } else {
      maxima(part, in.data(), out.data(), where.data());
    }
  });
}

template <class T>
void max_pool2d_gradient(const PoolingShape& shape, std::span<const std::uint8_t> indices, std::span<const T> dy,
                         std::span<T> dx, std::span<float> scratch) {
  const std::int64_t elements = shape.height * shape.width, pixels = shape.out_height() * shape.out_width();
  parallel_for_planes(shape, [&](const PoolingShape& part, std::int64_t first, int worker) {
    const auto where = indices.subspan(first * pixels);
    const auto upstream = dy.subspan(first * pixels);
    const auto results = dx.subspan(first * elements, part.planes * elements);
    if (is_two_by_two(shape)) {
      two_by_two_gradient(part, where, upstream, results);
    } else {
      gradient(part, where.data(), upstream.data(), scratch.data() + worker * elements, results.data());
    }
  });
}

std::int64_t max_pool2d_gradient_scratch(const PoolingShape& shape, int workers) {
  return is_two_by_two(shape) ? 0 : workers * shape.height * shape.width;
}

template void max_pool2d(const PoolingShape&, std::span<const float>, std::span<float>, std::span<std::uint8_t>);
template void max_pool2d(const PoolingShape&, std::span<const bfloat16>, std::span<bfloat16>, std::span<std::uint8_t>);
template void max_pool2d_gradient(const PoolingShape&, std::span<const std::uint8_t>, std::span<const float>,
                                  std::span<float>, std::span<float>);
template void max_pool2d_gradient(const PoolingShape&, std::span<const std::uint8_t>, std::span<const bfloat16>,
                                  std::span<bfloat16>, std::span<float>);

}  // namespace phasor::kernels
