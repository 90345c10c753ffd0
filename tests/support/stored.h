// Kernels in each type in which tensors lie in memory: float and bfloat16.
#pragma once

#include <cmath>
#include <gtest/gtest.h>

#include "engine/base/bfloat16.h"
#include "tests/support/buffer.h"

namespace phasor::test {

using StoredTypes = ::testing::Types<float, bfloat16>;

template <class T>
Buffer<T> stored(std::span<const float> x) {
  Buffer<T> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = from_float<T>(x[i]);
  return y;
}

// Each value of T has a float of its own: equal bits here are equal bits there.
template <class T>
Floats loaded(const Buffer<T>& x) {
  Floats y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = to_float(x[i]);
  return y;
}

// The values that x has when it is stored in T.
template <class T>
Floats representable(const Floats& x) {
  return loaded(stored<T>(x));
}

// From the bounds of results in float to those of results that are then stored in T: half an ulp more.
template <class T>
void allow_storing(std::span<const double> expected, std::span<double> bound) {
  if constexpr (std::is_same_v<T, bfloat16>) {
    for (std::size_t i = 0; i < bound.size(); ++i) {
      const double largest = std::abs(expected[i]) + bound[i];
      if (largest > 0) bound[i] += std::ldexp(1.0, std::ilogb(largest) - 8);
    }
  }
}

}  // namespace phasor::test
