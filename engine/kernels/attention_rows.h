// The arithmetic of one query's row of scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "engine/base/bfloat16.h"
#include "engine/kernels/simd/lanes.h"
#include "engine/kernels/simd/vector_math.h"

namespace phasor::kernels {

// Hides the keys behind `query` from it, in a row of scores with `keys`, a multiple of kLanes<float>. Returns how many
// the softmax is to be made of: exp of those that are hidden among them is 0, as the others are.
inline std::int64_t hide_behind(std::int64_t query, std::int64_t keys, float* row) {
  const std::int64_t seen = query + 1, whole_lanes = (seen + kLanes<float> - 1) / kLanes<float> * kLanes<float>;
  std::fill(row + seen, row + whole_lanes, -std::numeric_limits<float>::infinity());
  std::fill(row + whole_lanes, row + keys, 0.0f);
  return whole_lanes;
}

// row = row * scale. Returns the largest; maxima have the same bits in any order. A NaN may be overlooked.
inline float scale_row(float scale, std::int64_t keys, float* row) {
  constexpr std::int64_t kWide = 4 * kLanes<float>;  // so many maxima at a time hide the latency of each
  float highest[kWide];
  std::fill_n(highest, kWide, -std::numeric_limits<float>::infinity());
  const auto step = [=, &highest](std::int64_t j, std::int64_t lane) {
    const float score = row[j] * scale;
    row[j] = score;
    highest[lane] = highest[lane] < score ? score : highest[lane];
  };
  std::int64_t j = 0;
  for (; j + kWide <= keys; j += kWide)
#pragma GCC ivdep
    for (std::int64_t lane = 0; lane < kWide; ++lane) step(j + lane, lane);
  for (std::int64_t lane = 0; j < keys; ++j, ++lane) step(j, lane);
  float lanes[kLanes<float>];
  for (std::int64_t lane = 0; lane < kLanes<float>; ++lane) {
    const float *const each = highest + lane, low = std::max(each[0], each[kLanes<float>]);
    lanes[lane] = std::max(low, std::max(each[2 * kLanes<float>], each[3 * kLanes<float>]));
  }
  return fold_lanes(lanes, [](float a, float b) { return a < b ? b : a; });
}

// row = exp(score - highest score), score = row * scale.
struct Partition {
  float sum;          // of the new row
  float log_sum_exp;  // of the scores
};
inline Partition exponentiate(float scale, std::int64_t keys, float* row) {
  const float highest = scale_row(scale, keys, row);
  const float sum =
      lane_sum<float>(keys, [row, highest](std::int64_t j) { return row[j] = vector_exp(row[j] - highest); });
  return {sum, highest + std::log(sum)};
}

inline void multiply(float share, std::int64_t keys, float* row) {
  for (std::int64_t j = 0; j < keys; ++j) row[j] *= share;
}
inline void multiply(float share, const float* factors, std::int64_t keys, float* row) {
#pragma GCC ivdep
  for (std::int64_t j = 0; j < keys; ++j) row[j] *= share * factors[j];
}

// One query's row. On entry: scores = q k', dropped = dout v', the gradient of the dropped probabilities.
// p = exp(scores * scale - log_sum_exp);  on return: scores = P = p * factor(key),
// dropped = ds * scale = p * (dropped * factor(key) - inner) * scale, what dq and dk are made of.
struct QueryRow {
  float scale, log_sum_exp;
  float inner;  // sum over head_size of dout * out
};
template <class Factor>
void gradient_row(QueryRow query, Factor factor, std::int64_t keys, float* scores, float* dropped) {
#pragma GCC ivdep
  for (std::int64_t j = 0; j < keys; ++j) {
    const float p = vector_exp(scores[j] * query.scale - query.log_sum_exp);
    scores[j] = p * factor(j);
    dropped[j] = p * (dropped[j] * factor(j) - query.inner) * query.scale;
  }
}

// Rounds row i of a dense matrix of floats to T, to row i of a dense matrix of T that begins at the same place. Rows go
// in order: each takes the place of earlier ones. `buffer`: scratch of `columns` elements.
template <class T>
void round_row(float* matrix, std::int64_t i, std::int64_t columns, T* buffer) {
  if constexpr (!std::is_same_v<T, float>) {
    const float* const row = matrix + i * columns;
    for (std::int64_t j = 0; j < columns; ++j) buffer[j] = from_float<T>(row[j]);
    std::memcpy(reinterpret_cast<T*>(matrix) + i * columns, buffer, columns * sizeof(T));
  }
}

}  // namespace phasor::kernels
