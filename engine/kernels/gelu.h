// Gaussian error linear unit, y = x P(x). Hendrycks and Gimpel, 2016.
//   GeluKind::erf:   P(x) = Phi(x) = (1 + erf(x / sqrt 2)) / 2, the standard normal distribution
//   GeluKind::tanh:  P(x) = (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, which approximates it
// T is float or bfloat16 (see elementwise.h). P and p = P' are those of vector_math.h: of vector_normal and
// vector_tanh_normal for float, of rough_normal and rough_tanh_normal for bfloat16.
#pragma once

#include <span>

#include "engine/base/ops/gelu_kind.h"

namespace phasor::kernels {

template <class T>
void gelu(GeluKind kind, std::span<const T> x, std::span<T> y);

// dx = dy (P(x) + x p(x)). dx may be dy itself.
template <class T>
void gelu_gradient(GeluKind kind, std::span<const T> x, std::span<const T> dy, std::span<T> dx);

// Both at once, each to the bit what it is alone. dx may be dy itself.
template <class T>
void gelu_with_gradient(GeluKind kind, std::span<const T> x, std::span<const T> dy, std::span<T> dx, std::span<T> y);

}  // namespace phasor::kernels
