// Reference of engine/kernels/elementwise.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace phasor::reference {

// y[i] = a[i] + b[i mod period]
template <class T>
void add(std::span<const T> a, std::span<const T> b, std::span<T> y) {
  for (std::size_t i = 0; i < a.size(); ++i) y[i] = a[i] + b[i % b.size()];
}

// y[j] = sum over i of x[i, j]
template <class T>
void reduce_sum(std::span<const T> x, std::span<T> y) {
  std::fill(y.begin(), y.end(), T{});
  for (std::size_t i = 0; i < x.size(); ++i) y[i % y.size()] += x[i];
}

}  // namespace phasor::reference
