// The arithmetic of one token's logits in one block of the vocabulary.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/bfloat16.h"
#include "engine/kernels/simd/lanes.h"
#include "engine/kernels/simd/vector_math.h"

namespace phasor::kernels {

// As VocabularySums keeps it.
struct TokenSums {
  float greatest = 0, sum = 0, label_logit = 0;

  static TokenSums read(const float* numbers) { return {numbers[0], numbers[1], numbers[2]}; }
  void write(float* numbers) const {
    numbers[0] = greatest;
    numbers[1] = sum;
    numbers[2] = label_logit;
  }
};

// `label` counts from the block's first entry and may be outside.
inline TokenSums sums_of_row(const float* logits, std::int64_t entries, std::int64_t label) {
  const float greatest = lane_max<float>(entries, [logits](std::int64_t j) { return logits[j]; });
  const float sum =
      lane_sum<float>(entries, [logits, greatest](std::int64_t j) { return vector_exp(logits[j] - greatest); });
  return {greatest, sum, label >= 0 && label < entries ? logits[label] : 0.0f};
}

// Of the entries of both.
inline TokenSums joined(const TokenSums& a, const TokenSums& b) {
  if (a.sum == 0) return b;
  const float greatest = std::max(a.greatest, b.greatest);
  const float sum = a.sum * vector_exp(a.greatest - greatest) + b.sum * vector_exp(b.greatest - greatest);
  return {greatest, sum, a.label_logit + b.label_logit};
}

// As VocabularyGradient takes it.
struct TokenMessage {
  float greatest, share, coefficient;
  static TokenMessage read(const float* numbers) { return {numbers[0], numbers[1], numbers[2]}; }
};

// dlogits may lie where the logits lie.
template <class T>
void gradient_of_row(const float* logits, std::int64_t entries, std::int64_t label, const TokenMessage& message,
                     T* dlogits) {
  const auto [greatest, share, coefficient] = message;
  if (coefficient == 0) {
    std::fill_n(dlogits, entries, T{});
    return;
  }
  const bool is_here = label >= 0 && label < entries;
  const float of_label = is_here ? vector_exp(logits[label] - greatest) * share - coefficient : 0.0f;
  const float highest = greatest, factor = share;
#pragma GCC ivdep
  for (std::int64_t j = 0; j < entries; ++j) dlogits[j] = from_float<T>(vector_exp(logits[j] - highest) * factor);
  if (is_here) dlogits[label] = from_float<T>(of_label);
}

}  // namespace phasor::kernels
