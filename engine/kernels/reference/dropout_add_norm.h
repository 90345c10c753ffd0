// Reference of engine/kernels/dropout_add_norm.h.
#pragma once

#include <vector>

#include "engine/kernels/reference/dropout.h"
#include "engine/kernels/reference/elementwise.h"
#include "engine/kernels/reference/norm.h"

namespace phasor::reference {

// sum = dropout(x) + residual,  y = layer_norm(sum)
template <class T>
void dropout_add_norm(const RandomPosition& position, std::int64_t site, float probability, std::int64_t samples,
                      float eps, std::span<const T> x, std::span<const T> residual, std::span<const T> gamma,
                      std::span<const T> beta, std::span<T> sum, std::span<T> y, std::span<T> mean, std::span<T> rstd) {
  std::vector<T> kept(x.size());
  dropout<T>(position, site, probability, samples, x, kept);
  add<T>(kept, residual, sum);
  layer_norm<T>(eps, sum, gamma, beta, y, mean, rstd);
}

// dresidual, dgamma, dbeta = layer_norm_gradient(sum, gamma, mean, rstd, dy),  dx = dropout(dresidual)
template <class T>
void dropout_add_norm_gradient(const RandomPosition& position, std::int64_t site, float probability,
                               std::int64_t samples, std::span<const T> sum, std::span<const T> gamma,
                               std::span<const T> mean, std::span<const T> rstd, std::span<const T> dy, std::span<T> dx,
                               std::span<T> dresidual, std::span<T> dgamma, std::span<T> dbeta) {
  layer_norm_gradient<T>(sum, gamma, mean, rstd, dy, dresidual, dgamma, dbeta);
  dropout<T>(position, site, probability, samples, dresidual, dx);
}

}  // namespace phasor::reference
