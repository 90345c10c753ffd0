// Reference of engine/kernels/loss.h.
#pragma once

#include <cstdint>

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

}  // namespace phasor::reference
