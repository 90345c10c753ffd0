// Gaussian error linear unit, exact form: y = x Phi(x) = x/2 (1 + erf(x / sqrt 2)). Hendrycks and Gimpel, 2016.
// T is float or bfloat16 (see elementwise.h). Phi and phi are those of vector_math.h: of vector_normal for float, of
// rough_normal for bfloat16.
#pragma once

#include <span>

namespace phasor::kernels {

template <class T>
void gelu(std::span<const T> x, std::span<T> y);

// dx = dy (Phi(x) + x phi(x)), phi the density of the standard normal. dx may be dy itself.
template <class T>
void gelu_gradient(std::span<const T> x, std::span<const T> dy, std::span<T> dx);

// Both at once, each to the bit what it is alone. dx may be dy itself.
template <class T>
void gelu_with_gradient(std::span<const T> x, std::span<const T> dy, std::span<T> dx, std::span<T> y);

}  // namespace phasor::kernels
