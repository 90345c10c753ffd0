// Reference of engine/kernels/gelu.h.
#pragma once

#include <numbers>
#include <span>

#include "engine/kernels/reference/scalar.h"

namespace phasor::reference {

// Phi(x) = (1 + erf(x / sqrt 2)) / 2
template <class T>
T normal_cumulative(const T& x) {
  return (T(1) + erf(x / T(std::numbers::sqrt2))) / T(2);
}

// phi(x) = exp(-x^2 / 2) / sqrt(2 pi)
template <class T>
T normal_density(const T& x) {
  return std::exp(-x * x / T(2)) * T(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}

// y = x Phi(x)
template <class T>
void gelu(std::span<const T> x, std::span<T> y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * normal_cumulative(x[i]);
}

// dx = dy (Phi(x) + x phi(x))
template <class T>
void gelu_gradient(std::span<const T> x, std::span<const T> dy, std::span<T> dx) {
  for (std::size_t i = 0; i < x.size(); ++i) dx[i] = dy[i] * (normal_cumulative(x[i]) + x[i] * normal_density(x[i]));
}

}  // namespace phasor::reference
