#include "engine/kernels/pooling.h"

#include <algorithm>
#include <cmath>

#include "engine/base/bfloat16.h"
#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

namespace {

// Calls body(plane, worker) for all planes, in pieces of them.
template <class Body>
void parallel_for_planes(const PoolingShape& shape, Body body) {
  const std::int64_t planes = row_grain(shape.height * shape.width);
  parallel_for((shape.planes + planes - 1) / planes, [&](std::int64_t piece, int worker) {
    for (std::int64_t plane = piece * planes; plane < std::min(shape.planes, (piece + 1) * planes); ++plane)
      body(plane, worker);
  });
}

// Windows of 2 by 2 side by side are what networks have. Loops over them are vectorised where their sizes are
// constants.
bool is_two_by_two(const PoolingShape& shape) { return shape.window == 2 && shape.stride == 2; }

// A row of y. x: the first row of its windows.
template <class T>
void pool_row(const PoolingShape& shape, std::int64_t window, std::int64_t stride, const T* x, T* y) {
  const std::int64_t columns = shape.out_width(), width = shape.width;
  const float least = shape.relu ? 0.0f : -HUGE_VALF;
#pragma GCC ivdep
  for (std::int64_t j = 0; j < columns; ++j) {
    float most = least;
    for (std::int64_t k = 0; k < window; ++k)
      for (std::int64_t l = 0; l < window; ++l) {
        const float value = to_float(x[k * width + j * stride + l]);
        most = (value > most) | (value != value) ? value : most;
      }
    y[j] = from_float<T>(most);
  }
}

// What comes through relu of dy.
template <class T>
float passed(const PoolingShape& shape, T y, T dy) {
  return shape.relu && to_float(y) <= 0 ? 0.0f : to_float(dy);
}

// Two rows of dx.
template <class T>
void two_by_two_gradient_row(const PoolingShape& shape, const T* x, const T* y, const T* dy, T* dx) {
  const std::int64_t columns = shape.out_width(), width = shape.width;
  const T* below = x + width;
  T* dx_below = dx + width;
#pragma GCC ivdep
  for (std::int64_t j = 0; j < columns; ++j) {
    const float most = to_float(y[j]);
    const T gradient = from_float<T>(passed(shape, y[j], dy[j]));
    const bool a = to_float(x[2 * j]) == most, b = !a & (to_float(x[2 * j + 1]) == most);
    const bool c = !a & !b & (to_float(below[2 * j]) == most);
    const bool d = !a & !b & !c & (to_float(below[2 * j + 1]) == most);
    dx[2 * j] = a ? gradient : T{};
    dx[2 * j + 1] = b ? gradient : T{};
    dx_below[2 * j] = c ? gradient : T{};
    dx_below[2 * j + 1] = d ? gradient : T{};
  }
  for (std::int64_t j = 2 * columns; j < width; ++j) dx[j] = dx_below[j] = T{};
}

template <class T>
void two_by_two_gradient(const PoolingShape& shape, const T* x, const T* y, const T* dy, T* dx) {
  for (std::int64_t i = 0; i < shape.out_height(); ++i)
    two_by_two_gradient_row(shape, x + 2 * i * shape.width, y + i * shape.out_width(), dy + i * shape.out_width(),
                            dx + 2 * i * shape.width);
  std::fill(dx + 2 * shape.out_height() * shape.width, dx + shape.height * shape.width, T{});
}

// The number of the window's first element that is `most`, from the window's beginning; -1: none is.
template <class T>
std::int64_t first_of(const PoolingShape& shape, const T* x, float most) {
  for (std::int64_t k = 0; k < shape.window; ++k)
    for (std::int64_t l = 0; l < shape.window; ++l)
      if (to_float(x[k * shape.width + l]) == most) return k * shape.width + l;
  return -1;
}

// Of any windows. `sums`: a plane.
template <class T>
void gradient_of_plane(const PoolingShape& shape, const T* x, const T* y, const T* dy, float* sums, T* dx) {
  const std::int64_t elements = shape.height * shape.width;
  std::fill_n(sums, elements, 0.0f);
  for (std::int64_t i = 0; i < shape.out_height(); ++i)
    for (std::int64_t j = 0; j < shape.out_width(); ++j, ++y, ++dy) {
      const std::int64_t corner = i * shape.stride * shape.width + j * shape.stride;
      const std::int64_t first = first_of(shape, x + corner, to_float(*y));
      if (first >= 0) sums[corner + first] += passed(shape, *y, *dy);
    }
  for (std::int64_t i = 0; i < elements; ++i) dx[i] = from_float<T>(sums[i]);
}

}  // namespace

template <class T>
void max_pool2d(const PoolingShape& shape, std::span<const T> x, std::span<T> y) {
  const std::int64_t rows = shape.out_height(), columns = shape.out_width();
  parallel_for_planes(shape, [&](std::int64_t plane, int) {
    const T* const in = x.data() + plane * shape.height * shape.width;
    T* const out = y.data() + plane * rows * columns;
    for (std::int64_t i = 0; i < rows; ++i) {
      const T* const first = in + i * shape.stride * shape.width;
      if (is_two_by_two(shape)) {
        pool_row(shape, 2, 2, first, out + i * columns);
      } else {
        pool_row(shape, shape.window, shape.stride, first, out + i * columns);
      }
    }
  });
}

template <class T>
void max_pool2d_gradient(const PoolingShape& shape, std::span<const T> x, std::span<const T> y, std::span<const T> dy,
                         std::span<T> dx, std::span<float> scratch) {
  const std::int64_t elements = shape.height * shape.width, pixels = shape.out_height() * shape.out_width();
  parallel_for_planes(shape, [&](std::int64_t plane, int worker) {
    const T *in = x.data() + plane * elements, *most = y.data() + plane * pixels,
            *upstream = dy.data() + plane * pixels;
    T* const out = dx.data() + plane * elements;
    if (is_two_by_two(shape)) {
      two_by_two_gradient(shape, in, most, upstream, out);
    } else {
      gradient_of_plane(shape, in, most, upstream, scratch.data() + worker * elements, out);
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
