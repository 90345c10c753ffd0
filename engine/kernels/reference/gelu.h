// Reference of engine/kernels/gelu.h.
#pragma once

#include <numbers>
#include <span>

#include "engine/kernels/gelu.h"
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

// (1 + tanh(u)) / 2 = 1 / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3)
inline constexpr double kTanhSlope = std::numbers::sqrt2 * std::numbers::inv_sqrtpi, kTanhCube = 0.044715;
template <class T>
T tanh_cumulative(const T& x) {
  return T(1) / (T(1) + std::exp(T(-2 * kTanhSlope) * (x + T(kTanhCube) * x * x * x)));
}

// Its derivative: 2 P (1 - P) du/dx, 1 - P(x) = P(-x)
template <class T>
T tanh_density(const T& x) {
  return tanh_cumulative(x) * tanh_cumulative(-x) * T(2 * kTanhSlope) * (T(1) + T(3 * kTanhCube) * x * x);
}

template <class T>
T gelu_cumulative(GeluKind kind, const T& x) {
  return kind == GeluKind::tanh ? tanh_cumulative(x) : normal_cumulative(x);
}
template <class T>
T gelu_density(GeluKind kind, const T& x) {
  return kind == GeluKind::tanh ? tanh_density(x) : normal_density(x);
}

// y = x P(x)
template <class T>
void gelu(GeluKind kind, std::span<const T> x, std::span<T> y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * gelu_cumulative(kind, x[i]);
}

// dx = dy (P(x) + x p(x))
template <class T>
void gelu_gradient(GeluKind kind, std::span<const T> x, std::span<const T> dy, std::span<T> dx) {
  for (std::size_t i = 0; i < x.size(); ++i)
    dx[i] = dy[i] * (gelu_cumulative(kind, x[i]) + x[i] * gelu_density(kind, x[i]));
}

}  // namespace phasor::reference
