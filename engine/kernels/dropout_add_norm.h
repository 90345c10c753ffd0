// Dropout, residual connection and layer normalisation in one pass over memory. To the bit what dropout, add and
// layer_norm give one after the other. T is float or bfloat16 (see elementwise.h).
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/random.h"
#include "engine/base/segments.h"

namespace phasor::kernels {

template <class T>
struct DropoutAddNorm {
  RandomPosition position;
  std::int64_t site = 0;
  float probability = 0;               // of dropping
  std::int64_t samples = 0;            // divides rows: [samples, rows of a sample, columns]
  const Segments* segments = nullptr;  // where set, rows are their tokens and samples counts nothing
  float eps = 0;
  std::span<const T> x, residual;      // [rows, columns]
  std::span<const float> gamma, beta;  // [columns]
  std::span<T> sum, y;                 // [rows, columns]; sum may be x or residual itself
  std::span<float> mean, rstd;         // [rows]
};

// sum = dropout(x) + residual, each of the two rounded to T;  y = layer_norm(sum).
template <class T>
void dropout_add_norm(const DropoutAddNorm<T>& op);

template <class T>
struct DropoutAddNormGradient {
  RandomPosition position;
  std::int64_t site = 0;
  float probability = 0;
  std::int64_t samples = 0;
  const Segments* segments = nullptr;
  std::span<const T> sum;             // [rows, columns]
  std::span<const float> gamma;       // [columns]
  std::span<const float> mean, rstd;  // [rows]
  std::span<const T> dy;              // [rows, columns]
  std::span<T> dx, dresidual;         // [rows, columns]; dresidual may be dy itself
  std::span<float> dgamma, dbeta;     // [columns]
  std::span<float> scratch;           // dropout_add_norm_gradient_scratch(rows, columns) elements
};

// dresidual, dgamma, dbeta = layer_norm_gradient(sum, gamma, mean, rstd, dy);  dx = dropout(dresidual).
template <class T>
void dropout_add_norm_gradient(const DropoutAddNormGradient<T>& op);
std::int64_t dropout_add_norm_gradient_scratch(std::int64_t rows, std::int64_t columns);

}  // namespace phasor::kernels
