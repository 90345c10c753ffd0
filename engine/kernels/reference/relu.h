// Reference of engine/kernels/relu.h.
#pragma once

#include <span>

#include "engine/kernels/reference/scalar.h"

namespace phasor::reference {

// y = max(x, 0)
template <class T>
void relu(std::span<const T> x, std::span<T> y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = real_part(x[i]) > 0 ? x[i] : T{};
}

// dx = dy where y > 0, else 0
template <class T>
void relu_gradient(std::span<const T> y, std::span<const T> dy, std::span<T> dx) {
  for (std::size_t i = 0; i < y.size(); ++i) dx[i] = real_part(y[i]) > 0 ? dy[i] : T{};
}

}  // namespace phasor::reference
