// Reference of engine/kernels/convolution/pooling.h.
#pragma once

#include <algorithm>
#include <span>

#include "engine/kernels/convolution/pooling.h"
#include "engine/kernels/reference/scalar.h"

namespace phasor::reference {

// Calls body(window, corner), the number in y and that of its first element in x, for all windows of x.
template <class Body>
void for_each_window(const kernels::PoolingShape& s, Body body) {
  std::int64_t window = 0;
  for (std::int64_t p = 0; p < s.planes; ++p)
    for (std::int64_t i = 0; i < s.out_height(); ++i)
      for (std::int64_t j = 0; j < s.out_width(); ++j)
        body(window++, (p * s.height + i * s.stride) * s.width + j * s.stride);
}

// Where in x an element of a window lies.
inline std::int64_t element_of(const kernels::PoolingShape& s, std::int64_t corner, std::int64_t index) {
  return corner + index / s.window * s.width + index % s.window;
}

// y = the largest of each window, or 0 where that is larger and relu is asked for
template <class T>
void max_pool2d(const kernels::PoolingShape& s, std::span<const T> x, std::span<T> y, std::span<std::uint8_t> indices) {
  for_each_window(s, [&](auto window, auto corner) {
    std::int64_t first = 0;
    for (std::int64_t index = 0; index < s.window * s.window; ++index)
      if (real_part(x[element_of(s, corner, index)]) > real_part(x[element_of(s, corner, first)])) first = index;
    const T most = x[element_of(s, corner, first)];
    const bool cut = s.relu && real_part(most) <= 0;
    y[window] = cut ? T{} : most;
    indices[window] = cut ? kernels::kNoGradient : static_cast<std::uint8_t>(first);
  });
}

// dx = dy where the indices say
template <class T>
void max_pool2d_gradient(const kernels::PoolingShape& s, std::span<const std::uint8_t> indices, std::span<const T> dy,
                         std::span<T> dx) {
  std::ranges::fill(dx, T{});
  for_each_window(s, [&](auto window, auto corner) {
    if (indices[window] != kernels::kNoGradient) dx[element_of(s, corner, indices[window])] += dy[window];
  });
}

}  // namespace phasor::reference
