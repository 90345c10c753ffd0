// Rectified linear unit: y = max(x, 0). T is float or bfloat16 (see elementwise.h). A NaN stays one.
#pragma once

#include <span>

namespace phasor::kernels {

// y may be x itself.
template <class T>
void relu(std::span<const T> x, std::span<T> y);

// dx = dy where y > 0, else 0; y is that of relu. dx may be y or dy itself.
template <class T>
void relu_gradient(std::span<const T> y, std::span<const T> dy, std::span<T> dx);

}  // namespace phasor::kernels
