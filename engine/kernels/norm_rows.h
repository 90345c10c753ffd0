// Layer normalisation of single rows: what norm.cpp and dropout_add_norm.cpp share.
#pragma once

#include <cmath>
#include <functional>
#include <span>

#include "engine/base/bfloat16.h"
#include "engine/kernels/simd/lanes.h"
#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

struct Moments {
  float mean, rstd;
};

// Two passes: the variance of rows far from zero would drown in cancellation otherwise.
template <class T>
Moments moments_of(const T* x, std::int64_t columns, float eps) {
  const auto n = static_cast<float>(columns);
  const float mean = lane_sum<float>(columns, [x](std::int64_t j) { return to_float(x[j]); }) / n;
  const float squares = lane_sum<float>(columns, [x, mean](std::int64_t j) {
    const float centred = to_float(x[j]) - mean;
    return centred * centred;
  });
  return {mean, 1 / std::sqrt(squares / n + eps)};
}

// y = (x - mean) * rstd * gamma + beta
template <class T>
void normalise(const T* x, Moments moments, const float* gamma, const float* beta, std::int64_t columns, T* y) {
#pragma GCC ivdep
  for (std::int64_t j = 0; j < columns; ++j)
    y[j] = from_float<T>((to_float(x[j]) - moments.mean) * moments.rstd * gamma[j] + beta[j]);
}

// dx = rstd * (q - mean(q) - h * mean(q * h)) with q = gamma * dy; adds the row's dy * h and dy to dgamma and dbeta.
// One pass for all sums, with the lanes of lane_sum, and one for dx.
template <class T>
void gradient_row(const T* x, Moments moments, const float* gamma, const T* dy, std::int64_t columns, T* dx,
                  float* dgamma, float* dbeta) {
  constexpr std::int64_t kWidth = kLanes<float>;
  float q_lanes[kWidth] = {}, qh_lanes[kWidth] = {};
  const auto h = [=](std::int64_t j) { return (to_float(x[j]) - moments.mean) * moments.rstd; };
  const auto q = [=](std::int64_t j) { return gamma[j] * to_float(dy[j]); };
  const auto add = [&](std::int64_t first, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t lane = 0; lane < count; ++lane) {
      const std::int64_t j = first + lane;
      q_lanes[lane] += q(j);
      qh_lanes[lane] += q(j) * h(j);
      dgamma[j] += to_float(dy[j]) * h(j);
      dbeta[j] += to_float(dy[j]);
    }
  };
  const std::int64_t whole = columns / kWidth * kWidth;
  for (std::int64_t j = 0; j < whole; j += kWidth) add(j, kWidth);
  add(whole, columns - whole);

  const auto n = static_cast<float>(columns);
  const float mean_q = fold_lanes(q_lanes, std::plus<>()) / n, mean_qh = fold_lanes(qh_lanes, std::plus<>()) / n;
#pragma GCC ivdep
  for (std::int64_t j = 0; j < columns; ++j) dx[j] = from_float<T>(moments.rstd * (q(j) - mean_q - h(j) * mean_qh));
}

// Rows whose contributions to dgamma and dbeta are summed before they meet the others'.
inline constexpr std::int64_t kGradientRows = 32;

inline std::int64_t gradient_pieces(std::int64_t rows) { return (rows + kGradientRows - 1) / kGradientRows; }

// dgamma and dbeta from the pieces' sums [pieces, 2, columns].
void add_gradient_pieces(std::int64_t pieces, std::span<const float> sums, std::span<float> dgamma,
                         std::span<float> dbeta);

// Calls row(i, dgamma, dbeta) for each of the rows; what it adds to the two, which begin at 0, is summed over all rows.
// `scratch` holds gradient_pieces(rows) * 2 * columns elements.
template <class Row>
void for_gradient_rows(std::int64_t rows, std::span<float> dgamma, std::span<float> dbeta, std::span<float> scratch,
                       Row row) {
  const auto columns = static_cast<std::int64_t>(dgamma.size());
  parallel_for_ranges(rows, kGradientRows, [&](std::int64_t begin, std::int64_t end) {
    float* sums = scratch.data() + begin / kGradientRows * 2 * columns;
    std::fill_n(sums, 2 * columns, 0.0f);
    for (std::int64_t i = begin; i < end; ++i) row(i, sums, sums + columns);
  });
  add_gradient_pieces(gradient_pieces(rows), scratch, dgamma, dbeta);
}

}  // namespace phasor::kernels
