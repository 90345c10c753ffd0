#include "engine/kernels/norm.h"

#include <algorithm>
#include <cmath>

#include "engine/kernels/lanes.h"
#include "engine/kernels/pieces.h"

namespace phasor::kernels {

namespace {

// Rows whose contributions to dgamma and dbeta are summed before they meet the others'.
constexpr std::int64_t kGradientRows = 32;

std::int64_t gradient_pieces(std::int64_t rows) { return (rows + kGradientRows - 1) / kGradientRows; }

struct Moments {
  float mean, rstd;
};

// Two passes: the variance of rows far from zero would drown in cancellation otherwise.
Moments moments_of(const float* x, std::int64_t columns, float eps) {
  const auto n = static_cast<float>(columns);
  const float mean = lane_sum<float>(columns, [x](std::int64_t j) { return x[j]; }) / n;
  const float squares = lane_sum<float>(columns, [x, mean](std::int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return {mean, 1 / std::sqrt(squares / n + eps)};
}

void normalise(const float* x, Moments moments, const float* gamma, const float* beta, std::int64_t columns, float* y) {
#pragma GCC ivdep
  for (std::int64_t j = 0; j < columns; ++j) y[j] = (x[j] - moments.mean) * moments.rstd * gamma[j] + beta[j];
}

// dx = rstd * (q - mean(q) - h * mean(q * h)) with q = gamma * dy; adds the row's dy * h and dy to dgamma and dbeta.
void gradient_row(const float* x, Moments moments, const float* gamma, const float* dy, std::int64_t columns, float* dx,
                  float* dgamma, float* dbeta) {
  const auto n = static_cast<float>(columns);
  const auto h = [=](std::int64_t j) { return (x[j] - moments.mean) * moments.rstd; };
  const auto q = [=](std::int64_t j) { return gamma[j] * dy[j]; };
  const float mean_q = lane_sum<float>(columns, q) / n;
  const float mean_qh = lane_sum<float>(columns, [&](std::int64_t j) { return q(j) * h(j); }) / n;
#pragma GCC ivdep
  for (std::int64_t j = 0; j < columns; ++j) {
    dgamma[j] += dy[j] * h(j);
    dbeta[j] += dy[j];
  }
#pragma GCC ivdep
  for (std::int64_t j = 0; j < columns; ++j) dx[j] = moments.rstd * (q(j) - mean_q - h(j) * mean_qh);
}

}  // namespace

void layer_norm(float eps, std::span<const float> x, std::span<const float> gamma, std::span<const float> beta,
                std::span<float> y, std::span<float> mean, std::span<float> rstd) {
  const auto rows = static_cast<std::int64_t>(mean.size()), columns = static_cast<std::int64_t>(gamma.size());
  parallel_for_ranges(rows, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Moments moments = moments_of(x.data() + i * columns, columns, eps);
      normalise(x.data() + i * columns, moments, gamma.data(), beta.data(), columns, y.data() + i * columns);
      mean[i] = moments.mean;
      rstd[i] = moments.rstd;
    }
  });
}

// Each piece of rows has its own [2, columns] of scratch; afterwards a strip of columns sums them over the pieces.
void layer_norm_gradient(std::span<const float> x, std::span<const float> gamma, std::span<const float> mean,
                         std::span<const float> rstd, std::span<const float> dy, std::span<float> dx,
                         std::span<float> dgamma, std::span<float> dbeta, std::span<float> scratch) {
  const auto rows = static_cast<std::int64_t>(mean.size()), columns = static_cast<std::int64_t>(gamma.size());
  parallel_for_ranges(rows, kGradientRows, [&](std::int64_t begin, std::int64_t end) {
    float* sums = scratch.data() + begin / kGradientRows * 2 * columns;
    std::fill_n(sums, 2 * columns, 0.0f);
    for (std::int64_t i = begin; i < end; ++i)
      gradient_row(x.data() + i * columns, {mean[i], rstd[i]}, gamma.data(), dy.data() + i * columns, columns,
                   dx.data() + i * columns, sums, sums + columns);
  });
  const auto add_row = [](const float* row, float* sum, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < count; ++j) sum[j] += row[j];
  };
  constexpr std::int64_t kStrip = 256;
  parallel_for_ranges(columns, kStrip, [&](std::int64_t begin, std::int64_t end) {
    std::fill(dgamma.begin() + begin, dgamma.begin() + end, 0.0f);
    std::fill(dbeta.begin() + begin, dbeta.begin() + end, 0.0f);
    for (std::int64_t piece = 0; piece < gradient_pieces(rows); ++piece) {
      const float* sums = scratch.data() + piece * 2 * columns;
      add_row(sums + begin, dgamma.data() + begin, end - begin);
      add_row(sums + columns + begin, dbeta.data() + begin, end - begin);
    }
  });
}

std::int64_t layer_norm_gradient_scratch(std::int64_t rows, std::int64_t columns) {
  return gradient_pieces(rows) * 2 * columns;
}

}  // namespace phasor::kernels
