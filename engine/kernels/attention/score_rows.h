// The arithmetic of one query's row of scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include "engine/base/bfloat16.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/simd/lanes.h"
#include "engine/kernels/simd/vector_math.h"

namespace phasor::kernels {

// Rows are gone through in whole vectors, whatever the number of keys: what a row has behind those is hidden. Calls
// body(key) for so many keys, a multiple of kLanes<float>; two vectors of floats make one of bfloat16.
template <class Body>
void for_keys(std::int64_t keys, Body body) {
  constexpr std::int64_t kPair = 2 * kLanes<float>;
  std::int64_t j = 0;
  for (; j + kPair <= keys; j += kPair)
#pragma GCC ivdep
    for (std::int64_t lane = 0; lane < kPair; ++lane) body(j + lane);
  if (j < keys)
#pragma GCC ivdep
    for (std::int64_t lane = 0; lane < kLanes<float>; ++lane) body(j + lane);
}

// Hides all keys but the first ones, so many, in a row of scores. Returns how many the softmax is to be made of, a
// multiple of kLanes<float>: exp of those that are hidden among them is 0.
inline std::int64_t hide_behind(std::int64_t keys, float* row) {
  const std::int64_t whole_lanes = (keys + kLanes<float> - 1) / kLanes<float> * kLanes<float>;
  std::fill(row + keys, row + whole_lanes, -std::numeric_limits<float>::infinity());
  return whole_lanes;
}

// The largest of row * scale, where scale > 0; maxima have the same bits in any order. A NaN may be overlooked.
inline float highest_score(float scale, std::int64_t keys, const float* row) {
  constexpr std::int64_t kWide = 4 * kLanes<float>;  // so many maxima at a time hide the latency of each
  float highest[kWide];
  std::fill_n(highest, kWide, -std::numeric_limits<float>::infinity());
  const auto step = [=, &highest](std::int64_t j, std::int64_t lane) {
    highest[lane] = highest[lane] < row[j] ? row[j] : highest[lane];
  };
  std::int64_t j = 0;
  for (; j + kWide <= keys; j += kWide)
#pragma GCC ivdep
    for (std::int64_t lane = 0; lane < kWide; ++lane) step(j + lane, lane);
  for (; j < keys; j += kLanes<float>)
    for (std::int64_t lane = 0; lane < kLanes<float>; ++lane) step(j + lane, lane);
  float lanes[kLanes<float>];
  for (std::int64_t lane = 0; lane < kLanes<float>; ++lane) {
    const float *const each = highest + lane, low = std::max(each[0], each[kLanes<float>]);
    lanes[lane] = std::max(low, std::max(each[2 * kLanes<float>], each[3 * kLanes<float>]));
  }
  return scale * fold_lanes(lanes, [](float a, float b) { return a < b ? b : a; });
}

// e^(score * scale - shift), which is at most about 1, as exact as T can show.
template <class T>
class ScoreExponential {
 public:
  ScoreExponential(float scale, float shift) : scale_(scale * kUnit), shift_(shift * kUnit) {}

  float operator()(float score) const {
    const float exponent = std::fma(score, scale_, -shift_);
    return kRough ? rough_exp2(exponent) : vector_exp(exponent);
  }

 private:
  static constexpr bool kRough = std::is_same_v<T, bfloat16>;
  static constexpr float kUnit = kRough ? kLog2E : 1;

  float scale_, shift_;
};

// x * scale where the query's dropout keeps the key, else 0.
struct KeyDropout {
  const std::uint16_t* bits;  // of the keys
  DropoutRate rate;

  bool keeps(std::int64_t key) const { return bits[key] >= rate.threshold; }
  float operator()(std::int64_t key, float x) const { return keeps(key) ? x * rate.scale : 0.0f; }
};
struct NoKeyDropout {
  bool keeps(std::int64_t) const { return true; }
  float operator()(std::int64_t, float x) const { return x; }
};

// What follows rounds to T, and writes rows of what is multiplied, T or float, one after the other, over rows of floats
// that it has read: row i of them ends in front of row i of the floats, since they begin with a row more
// (ForwardScratch, GradientScratch). Of the keys behind those that are seen the rows are 0.
template <class T, class Multiplied>
Multiplied rounded(float x) {
  if constexpr (std::is_same_v<T, Multiplied>) {
    return from_float<T>(x);
  } else {
    return to_float(from_float<T>(x));
  }
}

// weights = exp(score - highest score) of the keys that dropout keeps, else 0; score = row * scale. They are what the
// query's probabilities are but for a factor.
struct Partition {
  float sum;          // of all weights, those of dropped keys too
  float log_sum_exp;  // of the scores
};
template <class T, class Multiplied, class Dropout>
Partition place_weights(float scale, const Dropout& dropout, std::int64_t seen, std::int64_t keys, const float* row,
                        Multiplied* weights) {
  const float highest = highest_score(scale, seen, row);
  const ScoreExponential<T> exponential(scale, highest);
  float sums[kLanes<float>] = {};
  for (std::int64_t j = 0; j < seen; j += kLanes<float>)
#pragma GCC ivdep
    for (std::int64_t lane = 0; lane < kLanes<float>; ++lane) {
      const float weight = exponential(row[j + lane]);
      sums[lane] += weight;
      weights[j + lane] = rounded<T, Multiplied>(dropout.keeps(j + lane) ? weight : 0.0f);
    }
  std::fill(weights + seen, weights + keys, Multiplied{});
  const float sum = fold_lanes(sums, std::plus());
  return {sum, highest + std::log(sum)};
}

// One query's row. scores = q k', dropped = dout v', the gradient of the dropped probabilities.
// p = exp(scores * scale - log_sum_exp), probabilities = P = dropout(p),
// dscores = ds * scale = p * (dropout(dropped) - inner) * scale, what dq and dk are made of.
struct QueryRow {
  float scale, log_sum_exp;
  float inner;  // sum over head_size of dout * out
};
template <class T, class Multiplied, class Dropout>
void gradient_row(QueryRow query, Dropout dropout, std::int64_t seen, std::int64_t keys, const float* scores,
                  const float* dropped, Multiplied* probabilities, Multiplied* dscores) {
  const ScoreExponential<T> exponential(query.scale, query.log_sum_exp);
  const float inner = query.inner * query.scale;
  for_keys(seen, [=](std::int64_t j) {
    const float p = exponential(scores[j]);
    probabilities[j] = rounded<T, Multiplied>(dropout(j, p));
    dscores[j] = rounded<T, Multiplied>(p * std::fma(dropout(j, dropped[j]), query.scale, -inner));
  });
  std::fill(probabilities + seen, probabilities + keys, Multiplied{});
  std::fill(dscores + seen, dscores + keys, Multiplied{});
}

}  // namespace phasor::kernels
