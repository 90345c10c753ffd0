// Reference of engine/kernels/optimizers/adafactor.h, of a whole matrix.
#pragma once

#include <cmath>
#include <vector>

#include "engine/kernels/optimizers/adafactor.h"

namespace phasor::reference {

// Sums of squares of g' by rows and by columns.
template <class T>
std::vector<T> adafactor_sums(const kernels::AdamStep& step, float clip, std::int64_t rows, std::span<const T> g) {
  const std::int64_t columns = static_cast<std::int64_t>(g.size()) / rows;
  std::vector<T> sums(static_cast<std::size_t>(rows + columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const T x = g[i * columns + j] * T(step.gradient_scale) * T(clip);
      sums[i] += x * x;
      sums[rows + j] += x * x;
    }
  }
  return sums;
}

// Moments in place; the result: factors.
template <class T>
std::vector<T> adafactor_factors(const kernels::AdamStep& step, std::int64_t rows, std::span<const T> sums,
                                 std::span<T> moments) {
  const auto numbers = static_cast<std::int64_t>(moments.size()), columns = numbers - rows;
  const T beta(step.correction2);
  T mean(0);
  for (std::int64_t n = 0; n < numbers; ++n) {
    moments[n] = beta * moments[n] + (1 - beta) * (sums[n] / T(n < rows ? columns : rows) + T(1e-30));
    if (n < rows) mean += moments[n] / T(rows);
  }
  std::vector<T> factors(moments.size());
  for (std::int64_t n = 0; n < numbers; ++n) factors[n] = 1 / std::sqrt(n < rows ? moments[n] / mean : moments[n]);
  return factors;
}

template <class T>
std::vector<T> adafactor_update(const kernels::AdamStep& step, float clip, std::int64_t rows, std::span<const T> g,
                                std::span<const T> factors) {
  const std::int64_t columns = static_cast<std::int64_t>(g.size()) / rows;
  std::vector<T> u;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      u.push_back(g[i * columns + j] * T(step.gradient_scale) * T(clip) * factors[i] * factors[rows + j]);
    }
  }
  return u;
}

// w -= learning_rate (u / max(1, root of `mean_square`) + weight_decay w)
template <class T>
void adafactor_weights(T weight_decay, const kernels::AdamStep& step, T mean_square, std::span<const T> u,
                       std::span<const T> w, std::span<T> new_w) {
  const T rate(step.learning_rate), length = mean_square > 1 ? rate / std::sqrt(mean_square) : rate;
  for (std::size_t i = 0; i < u.size(); ++i) new_w[i] = w[i] - rate * weight_decay * w[i] - length * u[i];
}

}  // namespace phasor::reference
