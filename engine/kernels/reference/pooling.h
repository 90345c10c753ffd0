// Reference of engine/kernels/pooling.h.
#pragma once

#include <algorithm>
#include <span>

#include "engine/kernels/pooling.h"
#include "engine/kernels/reference/scalar.h"

namespace phasor::reference {

// Calls body(window, element), the number in y and that in x of the first largest, for all windows of x.
template <class T, class Body>
void for_each_maximum(const kernels::PoolingShape& s, std::span<const T> x, Body body) {
  std::int64_t window = 0;
  for (std::int64_t p = 0; p < s.planes; ++p)
    for (std::int64_t i = 0; i < s.out_height(); ++i)
      for (std::int64_t j = 0; j < s.out_width(); ++j, ++window) {
        const std::int64_t corner = (p * s.height + i * s.stride) * s.width + j * s.stride;
        std::int64_t first = corner;
        for (std::int64_t k = 0; k < s.window; ++k)
          for (std::int64_t l = 0; l < s.window; ++l) {
            const std::int64_t element = corner + k * s.width + l;
            if (real_part(x[element]) > real_part(x[first])) first = element;
          }
        body(window, first);
      }
}

// y = the largest of each window, or 0 where that is larger and relu is asked for
template <class T>
void max_pool2d(const kernels::PoolingShape& shape, std::span<const T> x, std::span<T> y) {
  for_each_maximum(shape, x, [&](auto window, auto element) {
    y[window] = shape.relu && real_part(x[element]) <= 0 ? T{} : x[element];
  });
}

// dx = dy where the first largest is, but for what relu made 0
template <class T>
void max_pool2d_gradient(const kernels::PoolingShape& shape, std::span<const T> x, std::span<const T> dy,
                         std::span<T> dx) {
  std::ranges::fill(dx, T{});
  for_each_maximum(shape, x, [&](auto window, auto element) {
    if (!shape.relu || real_part(x[element]) > 0) dx[element] += dy[window];
  });
}

}  // namespace phasor::reference
