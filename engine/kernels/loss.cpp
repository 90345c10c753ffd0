#include "engine/kernels/loss.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/kernels/simd/lanes.h"
#include "engine/kernels/simd/pieces.h"
#include "engine/kernels/simd/vector_math.h"

namespace phasor::kernels {

namespace {

struct Partition {
  float maximum;
  float sum;  // of exp(logit - maximum)
};

Partition partition_of(const float* logits, std::int64_t classes) {
  const float maximum = lane_max<float>(classes, [logits](std::int64_t j) { return logits[j]; });
  const float sum =
      lane_sum<float>(classes, [logits, maximum](std::int64_t j) { return vector_exp(logits[j] - maximum); });
  return {maximum, sum};
}

void ensure_inside(std::span<const std::int32_t> labels, std::span<const float> weights, std::int64_t classes) {
  for (std::size_t r = 0; r < labels.size(); ++r)
    ensure(weights[r] == 0 || (labels[r] >= 0 && labels[r] < classes),
           "cross_entropy: the label {} of row {} is outside the {} classes", labels[r], r, classes);
}

// dlogits = factor * softmax(logits)
void scaled_softmax(const float* logits, std::int64_t classes, float factor, float* dlogits) {
  const auto [maximum, sum] = partition_of(logits, classes);
  const float highest = maximum, share = factor / sum;
#pragma GCC ivdep
  for (std::int64_t j = 0; j < classes; ++j) dlogits[j] = vector_exp(logits[j] - highest) * share;
}

}  // namespace

void cross_entropy(std::span<const float> logits, std::span<const std::int32_t> labels, std::span<const float> weights,
                   std::span<float> loss) {
  const auto rows = static_cast<std::int64_t>(labels.size());
  const std::int64_t classes = rows == 0 ? 0 : static_cast<std::int64_t>(logits.size()) / rows;
  ensure_inside(labels, weights, classes);
  loss[0] = static_cast<float>(sum_of_pieces(rows, row_grain(classes), [&](std::int64_t begin, std::int64_t end) {
    double sum = 0;
    for (std::int64_t r = begin; r < end; ++r) {
      if (weights[r] == 0) continue;
      const float* row = logits.data() + r * classes;
      const Partition partition = partition_of(row, classes);
      sum += double{weights[r]} * (std::log(double{partition.sum}) - (double{row[labels[r]]} - partition.maximum));
    }
    return sum;
  }));
}

void cross_entropy_gradient(std::span<const float> logits, std::span<const std::int32_t> labels,
                            std::span<const float> weights, std::span<const float> dloss, std::span<float> dlogits) {
  const auto rows = static_cast<std::int64_t>(labels.size());
  const std::int64_t classes = rows == 0 ? 0 : static_cast<std::int64_t>(logits.size()) / rows;
  ensure_inside(labels, weights, classes);
  parallel_for_ranges(rows, row_grain(classes), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      float* row = dlogits.data() + r * classes;
      if (weights[r] == 0) {
        std::fill_n(row, classes, 0.0f);
        continue;
      }
      const float factor = dloss[0] * weights[r];
      scaled_softmax(logits.data() + r * classes, classes, factor, row);
      row[labels[r]] -= factor;
    }
  });
}

}  // namespace phasor::kernels
