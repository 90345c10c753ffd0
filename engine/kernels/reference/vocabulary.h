// Reference of engine/kernels/vocabulary/vocabulary.h: all logits at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/kernels/reference/matmul.h"
#include "engine/kernels/reference/softmax.h"

namespace phasor::reference {

// x [tokens, width], weight [entries, width], of which `used` are none of padding and the first is entry `first` of the
// whole.
struct VocabularySlice {
  std::int64_t tokens = 0, width = 0, used = 0, first = 0;
};

template <class T>
std::vector<T> vocabulary_logits(const VocabularySlice& s, std::span<const T> x, std::span<const T> weight) {
  std::vector<T> logits(s.tokens * s.used);
  matmul<T>({.m = s.tokens, .n = s.used, .k = s.width, .transpose_b = true}, x,
            weight.first(static_cast<std::size_t>(s.used * s.width)), logits);
  return logits;
}

// sums [tokens, 3] = greatest logit, sum of exp(logit - greatest), the label's logit, of these entries and those before
// (empty: none); 0 where the token has no weight.
template <class T>
void vocabulary_sums(const VocabularySlice& s, std::span<const T> x, std::span<const T> weight,
                     std::span<const std::int32_t> labels, std::span<const T> label_weights, std::span<const T> before,
                     std::span<T> sums) {
  const std::vector<T> logits = vocabulary_logits(s, x, weight);
  for (std::int64_t t = 0; t < s.tokens; ++t) {
    T* const out = &sums[3 * t];
    for (int i = 0; i < 3; ++i) out[i] = before.empty() ? T{} : before[3 * t + i];
    for (std::int64_t j = 0; j < s.used; ++j) {
      const T logit = logits[t * s.used + j];
      const T greatest = out[1] == T{} ? logit : larger(out[0], logit);
      out[1] = (out[1] == T{} ? T{} : out[1] * std::exp(out[0] - greatest)) + std::exp(logit - greatest);
      out[0] = greatest;
      if (labels[t] == s.first + j) out[2] = logit;
    }
    if (label_weights[t] == T{}) out[0] = out[1] = out[2] = T{};
  }
}

// loss = sum over tokens of weight * (greatest + log(sum) - label's logit)
template <class T>
void vocabulary_loss(std::span<const T> sums, std::span<const T> label_weights, std::span<T> loss) {
  loss[0] = T{};
  for (std::size_t t = 0; t < label_weights.size(); ++t) {
    if (label_weights[t] == T{}) continue;
    loss[0] += label_weights[t] * (sums[3 * t] + std::log(sums[3 * t + 1]) - sums[3 * t + 2]);
  }
}

// dsums = (greatest, c / sum, c), c = dloss * weight
template <class T>
void vocabulary_loss_gradient(std::span<const T> sums, std::span<const T> label_weights, std::span<const T> dloss,
                              std::span<T> dsums) {
  std::fill(dsums.begin(), dsums.end(), T{});
  for (std::size_t t = 0; t < label_weights.size(); ++t) {
    if (label_weights[t] == T{}) continue;
    dsums[3 * t] = sums[3 * t];
    dsums[3 * t + 1] = dloss[0] * label_weights[t] / sums[3 * t + 1];
    dsums[3 * t + 2] = dloss[0] * label_weights[t];
  }
}

// dlogits = exp(logit - greatest) * share - c one_hot(label);  dweight = dlogits' x,  dx = dlogits weight
template <class T>
void vocabulary_gradient(const VocabularySlice& s, std::span<const T> x, std::span<const T> weight,
                         std::span<const std::int32_t> labels, std::span<const T> dsums, std::span<T> dweight,
                         std::span<T> dx) {
  std::vector<T> dlogits = vocabulary_logits(s, x, weight);
  for (std::int64_t t = 0; t < s.tokens; ++t) {
    for (std::int64_t j = 0; j < s.used; ++j) {
      T& d = dlogits[t * s.used + j];
      const T one_hot(s.first + j == labels[t] ? 1.0f : 0.0f);
      d = dsums[3 * t + 2] == T{} ? T{} : std::exp(d - dsums[3 * t]) * dsums[3 * t + 1] - one_hot * dsums[3 * t + 2];
    }
  }
  const auto used = static_cast<std::size_t>(s.used * s.width);
  std::fill(dweight.begin(), dweight.end(), T{});
  matmul<T>({.m = s.used, .n = s.width, .k = s.tokens, .transpose_a = true}, dlogits, x, dweight.first(used));
  matmul<T>({.m = s.tokens, .n = s.width, .k = s.used}, dlogits, weight.first(used), dx);
}

// logits [rows, whole]: of token last[row] of each row of row_tokens, those of these entries; the others as before
// (empty: 0). s.tokens counts rows.
template <class T>
void vocabulary_logits_of_last(const VocabularySlice& s, std::int64_t row_tokens, std::int64_t whole,
                               std::span<const T> x, std::span<const T> weight, std::span<const std::int32_t> last,
                               std::span<const T> before, std::span<T> logits) {
  std::fill(logits.begin(), logits.end(), T{});
  std::copy(before.begin(), before.end(), logits.begin());
  for (std::int64_t row = 0; row < s.tokens; ++row) {
    const auto token = static_cast<std::size_t>(row * row_tokens + std::max(last[row], 0));
    VocabularySlice one = s;
    one.tokens = 1;
    const auto of_token = x.subspan(token * static_cast<std::size_t>(s.width), static_cast<std::size_t>(s.width));
    const std::vector<T> made = vocabulary_logits(one, of_token, weight);
    std::copy(made.begin(), made.end(), &logits[row * whole + s.first]);
  }
}

}  // namespace phasor::reference
