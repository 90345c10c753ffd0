// Reference of engine/kernels/loss.h.
#pragma once

#include <cstdint>

#include "engine/kernels/loss.h"
#include "engine/kernels/reference/softmax.h"

namespace phasor::reference {

// loss = sum over rows of weight * (log sum exp logits - logits[label]); a row of weight 0 counts nothing.
template <class T>
void cross_entropy(std::span<const T> logits, std::span<const std::int32_t> labels, std::span<const T> weights,
                   std::span<T> loss) {
  const std::size_t rows = labels.size(), classes = rows == 0 ? 0 : logits.size() / rows;
  loss[0] = T{};
  for (std::size_t r = 0; r < rows; ++r) {
    if (weights[r] == T{}) continue;
    const auto row = logits.subspan(r * classes, classes);
    loss[0] += weights[r] * (log_sum_exp(row) - row[labels[r]]);
  }
}

// dlogits = dloss * weight * (softmax(logits) - one_hot(label))
template <class T>
void cross_entropy_gradient(std::span<const T> logits, std::span<const std::int32_t> labels, std::span<const T> weights,
                            std::span<const T> dloss, std::span<T> dlogits) {
  const std::size_t rows = labels.size(), classes = rows == 0 ? 0 : logits.size() / rows;
  std::fill(dlogits.begin(), dlogits.end(), T{});
  for (std::size_t r = 0; r < rows; ++r) {
    if (weights[r] == T{}) continue;
    const auto row = logits.subspan(r * classes, classes);
    const T normaliser = log_sum_exp(row);
    for (std::size_t j = 0; j < classes; ++j) {
      const T one_hot(static_cast<std::int64_t>(j) == labels[r] ? 1.0f : 0.0f);
      dlogits[r * classes + j] = dloss[0] * weights[r] * (std::exp(row[j] - normaliser) - one_hot);
    }
  }
}

// Calls use(first, tokens, label, weight) for each segment that counts in each row of logits: which of them, its
// target.
template <class T, class Use>
void for_segment_targets(std::size_t logits, const Segments& segments, std::span<const std::int32_t> labels,
                         std::span<const T> weights, Use use) {
  const auto sequence = static_cast<std::size_t>(segments.sequence());
  const std::size_t rows = sequence == 0 ? 0 : logits / sequence;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::int64_t n = 0; n < segments.of_a_row(); ++n) {
      const Segment segment = segments.at(static_cast<std::int64_t>(r) % segments.rows(), n);
      const std::size_t target = r * segments.of_a_row() + n;
      if (segment.tokens == 0 || weights[target] == T{}) continue;
      use(r * sequence + segment.first, static_cast<std::size_t>(segment.tokens), labels[target], weights[target]);
    }
}

// As above, over the tokens of each segment.
template <class T>
void cross_entropy(std::span<const T> logits, const Segments& segments, std::span<const std::int32_t> labels,
                   std::span<const T> weights, std::span<T> loss) {
  loss[0] = T{};
  for_segment_targets(logits.size(), segments, labels, weights,
                      [&](std::size_t first, std::size_t tokens, std::int32_t label, T weight) {
                        const auto part = logits.subspan(first, tokens);
                        loss[0] += weight * (log_sum_exp(part) - part[label]);
                      });
}

template <class T>
void cross_entropy_gradient(std::span<const T> logits, const Segments& segments, std::span<const std::int32_t> labels,
                            std::span<const T> weights, std::span<const T> dloss, std::span<T> dlogits) {
  std::fill(dlogits.begin(), dlogits.end(), T{});
  for_segment_targets(logits.size(), segments, labels, weights,
                      [&](std::size_t first, std::size_t tokens, std::int32_t label, T weight) {
                        const auto part = logits.subspan(first, tokens);
                        const T normaliser = log_sum_exp(part);
                        for (std::size_t j = 0; j < tokens; ++j)
                          dlogits[first + j] = dloss[0] * weight * std::exp(part[j] - normaliser);
                        dlogits[first + label] -= dloss[0] * weight;
                      });
}

}  // namespace phasor::reference
