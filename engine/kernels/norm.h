// Layer normalisation over the last dimension. Ba, Kiros and Hinton, 2016. T is float or bfloat16 (see elementwise.h);
// parameters, statistics and the gradients of parameters are float.
#pragma once

#include <cstdint>
#include <span>

namespace phasor::kernels {

// y = (x - mean) * rstd * gamma + beta, rstd = 1 / sqrt(variance + eps), the variance without Bessel's correction.
// x, y [rows, columns]; gamma, beta [columns]; mean, rstd [rows].
template <class T>
void layer_norm(float eps, std::span<const T> x, std::span<const float> gamma, std::span<const float> beta,
                std::span<T> y, std::span<float> mean, std::span<float> rstd);

template <class T>
struct LayerNormGradient {
  std::span<const T> x;               // [rows, columns]
  std::span<const float> gamma;       // [columns]
  std::span<const float> mean, rstd;  // [rows]
  std::span<const T> dy;              // [rows, columns]
  std::span<T> dx;                    // [rows, columns]; may be dy itself
  std::span<float> dgamma, dbeta;     // [columns]
  std::span<float> scratch;           // layer_norm_gradient_scratch(rows, columns) elements
};

// With h = (x - mean) * rstd and q = gamma * dy:  dx = rstd * (q - mean(q) - h * mean(q * h)),
// dgamma = sum over rows of dy * h, dbeta = sum over rows of dy.
template <class T>
void layer_norm_gradient(const LayerNormGradient<T>& op);
std::int64_t layer_norm_gradient_scratch(std::int64_t rows, std::int64_t columns);

}  // namespace phasor::kernels
