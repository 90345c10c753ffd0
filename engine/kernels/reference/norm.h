// Reference of engine/kernels/norm.h.
#pragma once

#include <algorithm>
#include <span>

#include "engine/kernels/reference/scalar.h"

namespace phasor::reference {

// y = (x - mean) * rstd * gamma + beta,  rstd = 1 / sqrt(variance + eps)
template <class T>
void layer_norm(float eps, std::span<const T> x, std::span<const T> gamma, std::span<const T> beta, std::span<T> y,
                std::span<T> mean, std::span<T> rstd) {
  const std::size_t rows = mean.size(), columns = gamma.size();
  const T n(static_cast<float>(columns));
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = x.subspan(i * columns, columns);
    T sum{}, squares{};
    for (const T& value : row) sum += value;
    mean[i] = sum / n;
    for (const T& value : row) squares += (value - mean[i]) * (value - mean[i]);
    rstd[i] = T(1) / std::sqrt(squares / n + T(eps));
    for (std::size_t j = 0; j < columns; ++j) y[i * columns + j] = (row[j] - mean[i]) * rstd[i] * gamma[j] + beta[j];
  }
}

// h = (x - mean) * rstd, q = gamma * dy:  dx = rstd * (q - mean(q) - h * mean(q * h)),
// dgamma = sum of dy * h, dbeta = sum of dy over rows
template <class T>
void layer_norm_gradient(std::span<const T> x, std::span<const T> gamma, std::span<const T> mean,
                         std::span<const T> rstd, std::span<const T> dy, std::span<T> dx, std::span<T> dgamma,
                         std::span<T> dbeta) {
  const std::size_t rows = mean.size(), columns = gamma.size();
  const T n(static_cast<float>(columns));
  std::fill(dgamma.begin(), dgamma.end(), T{});
  std::fill(dbeta.begin(), dbeta.end(), T{});
  for (std::size_t i = 0; i < rows; ++i) {
    const auto h = [&](std::size_t j) { return (x[i * columns + j] - mean[i]) * rstd[i]; };
    const auto q = [&](std::size_t j) { return gamma[j] * dy[i * columns + j]; };
    T sum_q{}, sum_qh{};
    for (std::size_t j = 0; j < columns; ++j) {
      sum_q += q(j);
      sum_qh += q(j) * h(j);
      dgamma[j] += dy[i * columns + j] * h(j);
      dbeta[j] += dy[i * columns + j];
    }
    for (std::size_t j = 0; j < columns; ++j) dx[i * columns + j] = rstd[i] * (q(j) - sum_q / n - h(j) * (sum_qh / n));
  }
}

}  // namespace phasor::reference
