// Dropout, residual connection and layer normalisation in one pass over memory. To the bit what dropout, add and
// layer_norm give one after the other. T is float or bfloat16 (see elementwise.h).
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/random.h"

namespace phasor::kernels {

// sum = dropout(x) + residual, each of the two rounded to T;  y = layer_norm(sum).
// x, residual, sum, y [rows, columns], where `samples` divides rows; gamma, beta [columns]; mean, rstd [rows].
// sum may be x or residual itself.
template <class T>
void dropout_add_norm(const RandomPosition& position, std::int64_t site, float probability, std::int64_t samples,
                      float eps, std::span<const T> x, std::span<const T> residual, std::span<const float> gamma,
                      std::span<const float> beta, std::span<T> sum, std::span<T> y, std::span<float> mean,
                      std::span<float> rstd);

// dresidual, dgamma, dbeta = layer_norm_gradient(sum, gamma, mean, rstd, dy);  dx = dropout(dresidual).
// `scratch` holds dropout_add_norm_gradient_scratch(rows, columns) elements. dresidual may be dy itself.
template <class T>
void dropout_add_norm_gradient(const RandomPosition& position, std::int64_t site, float probability,
                               std::int64_t samples, std::span<const T> sum, std::span<const float> gamma,
                               std::span<const float> mean, std::span<const float> rstd, std::span<const T> dy,
                               std::span<T> dx, std::span<T> dresidual, std::span<float> dgamma, std::span<float> dbeta,
                               std::span<float> scratch);
std::int64_t dropout_add_norm_gradient_scratch(std::int64_t rows, std::int64_t columns);

}  // namespace phasor::kernels
