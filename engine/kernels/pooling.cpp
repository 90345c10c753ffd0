#include "engine/kernels/pooling.h"

#include <algorithm>
#include <cmath>

#include "engine/base/bfloat16.h"
#include "engine/kernels/pooling_two_by_two.h"
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

// The largest element of the window that begins at x.
template <class T>
float maximum(const PoolingShape& shape, const T* x) {
  float most = shape.relu ? 0.0f : -HUGE_VALF;
  for (std::int64_t k = 0; k < shape.window; ++k)
    for (std::int64_t l = 0; l < shape.window; ++l) {
      const float value = to_float(x[k * shape.width + l]);
      most = value > most || value != value ? value : most;
    }
  return most;
}

template <class T>
void maxima(const PoolingShape& shape, const T* x, T* y) {
  for (std::int64_t p = 0; p < shape.planes; ++p, x += shape.height * shape.width)
    for (std::int64_t i = 0; i < shape.out_height(); ++i)
      for (std::int64_t j = 0; j < shape.out_width(); ++j)
        *y++ = from_float<T>(maximum(shape, x + (i * shape.width + j) * shape.stride));
}

// The number of the window's first element that is `most`, from the window's beginning; -1: none is.
template <class T>
std::int64_t first_of(const PoolingShape& shape, const T* x, float most) {
  for (std::int64_t k = 0; k < shape.window; ++k)
    for (std::int64_t l = 0; l < shape.window; ++l)
      if (to_float(x[k * shape.width + l]) == most) return k * shape.width + l;
  return -1;
}

// `sums`: a plane.
template <class T>
void gradient(const PoolingShape& shape, const T* x, const T* y, const T* dy, float* sums, T* dx) {
  const std::int64_t elements = shape.height * shape.width;
  for (std::int64_t p = 0; p < shape.planes; ++p, x += elements, dx += elements) {
    std::fill_n(sums, elements, 0.0f);
    for (std::int64_t i = 0; i < shape.out_height(); ++i)
      for (std::int64_t j = 0; j < shape.out_width(); ++j, ++y, ++dy) {
        const std::int64_t corner = (i * shape.width + j) * shape.stride;
        const std::int64_t first = first_of(shape, x + corner, to_float(*y));
        const bool passes = !shape.relu || !(to_float(*y) <= 0);
        if (first >= 0 && passes) sums[corner + first] += to_float(*dy);
      }
    for (std::int64_t i = 0; i < elements; ++i) dx[i] = from_float<T>(sums[i]);
  }
}

}  // namespace

template <class T>
void max_pool2d(const PoolingShape& shape, std::span<const T> x, std::span<T> y) {
  const std::int64_t elements = shape.height * shape.width, pixels = shape.out_height() * shape.out_width();
  parallel_for_planes(shape, [&](const PoolingShape& part, std::int64_t first, int) {
    const auto in = x.subspan(first * elements);
    const auto out = y.subspan(first * pixels, part.planes * pixels);
    if (is_two_by_two(shape)) {
      two_by_two_maxima(part, in, out);
    } else {
      maxima(part, in.data(), out.data());
    }
  });
}

template <class T>
void max_pool2d_gradient(const PoolingShape& shape, std::span<const T> x, std::span<const T> y, std::span<const T> dy,
                         std::span<T> dx, std::span<float> scratch) {
  const std::int64_t elements = shape.height * shape.width, pixels = shape.out_height() * shape.out_width();
  parallel_for_planes(shape, [&](const PoolingShape& part, std::int64_t first, int worker) {
    const auto in = x.subspan(first * elements), out = y.subspan(first * pixels), upstream = dy.subspan(first * pixels);
    const auto results = dx.subspan(first * elements, part.planes * elements);
    if (is_two_by_two(shape)) {
      two_by_two_gradient(part, in, out, upstream, results);
    } else {
      gradient(part, in.data(), out.data(), upstream.data(), scratch.data() + worker * elements, results.data());
    }
  });
}

std::int64_t max_pool2d_gradient_scratch(const PoolingShape& shape, int workers) {
  return is_two_by_two(shape) ? 0 : workers * shape.height * shape.width;
}

template void max_pool2d(const PoolingShape&, std::span<const float>, std::span<float>);
template void max_pool2d(const PoolingShape&, std::span<const bfloat16>, std::span<bfloat16>);
template void max_pool2d_gradient(const PoolingShape&, std::span<const float>, std::span<const float>,
                                  std::span<const float>, std::span<float>, std::span<float>);
template void max_pool2d_gradient(const PoolingShape&, std::span<const bfloat16>, std::span<const bfloat16>,
                                  std::span<const bfloat16>, std::span<bfloat16>, std::span<float>);

}  // namespace phasor::kernels
