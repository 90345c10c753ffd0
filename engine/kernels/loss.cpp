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

// weight * (log sum exp logits - logits[label])
double loss_of(const float* logits, std::int64_t classes, std::int32_t label, float weight) {
  const Partition partition = partition_of(logits, classes);
  return double{weight} * (std::log(double{partition.sum}) - (double{logits[label]} - partition.maximum));
}

// dlogits = factor * (softmax(logits) - one_hot(label))
void gradient_of(const float* logits, std::int64_t classes, std::int32_t label, float factor, float* dlogits) {
  const auto [maximum, sum] = partition_of(logits, classes);
  const float highest = maximum, share = factor / sum;
#pragma GCC ivdep
  for (std::int64_t j = 0; j < classes; ++j) dlogits[j] = vector_exp(logits[j] - highest) * share;
  dlogits[label] -= factor;
}

// The rows of logits about the tokens of segments, with a label and a weight for each segment.
class SegmentTargets {
 public:
  SegmentTargets(std::size_t logits, const Segments& segments, std::span<const std::int32_t> labels,
                 std::span<const float> weights)
      : segments_(segments), labels_(labels), weights_(weights) {
    if (segments.rows() * segments.sequence() == 0) return;
    rows_ = static_cast<std::int64_t>(logits) / segments.sequence();
    ensure(rows_ % segments.rows() == 0, "cross_entropy: {} rows of logits, about the tokens of {} rows", rows_,
           segments.rows());
    for (std::int64_t r = 0; r < rows_; ++r)
      for_row(r, [r](const Segment& segment, std::int32_t label, float) {
        ensure(label >= 0 && label < segment.tokens,
               "cross_entropy: a label {} of row {} is outside the {} tokens of its segment", label, r, segment.tokens);
      });
  }

  std::int64_t rows() const { return rows_; }  // of logits

  // Calls use(segment, label, weight) for what counts in row r of the logits.
  template <class Use>
  void for_row(std::int64_t r, Use use) const {
    for (std::int64_t n = 0; n < segments_.of_a_row(); ++n) {
      const Segment segment = segments_.at(r % segments_.rows(), n);
      const std::int64_t target = r * segments_.of_a_row() + n;
      if (segment.tokens > 0 && weights_[target] != 0) use(segment, labels_[target], weights_[target]);
    }
  }

 private:
  const Segments& segments_;
  std::span<const std::int32_t> labels_;
  std::span<const float> weights_;
  std::int64_t rows_ = 0;
};

}  // namespace

void cross_entropy(std::span<const float> logits, std::span<const std::int32_t> labels, std::span<const float> weights,
                   std::span<float> loss) {
  const auto rows = static_cast<std::int64_t>(labels.size());
  const std::int64_t classes = rows == 0 ? 0 : static_cast<std::int64_t>(logits.size()) / rows;
  ensure_inside(labels, weights, classes);
  loss[0] = static_cast<float>(sum_of_pieces(rows, row_grain(classes), [&](std::int64_t begin, std::int64_t end) {
    double sum = 0;
    for (std::int64_t r = begin; r < end; ++r)
      if (weights[r] != 0) sum += loss_of(logits.data() + r * classes, classes, labels[r], weights[r]);
    return sum;
  }));
}

void cross_entropy(std::span<const float> logits, const Segments& segments, std::span<const std::int32_t> labels,
                   std::span<const float> weights, std::span<float> loss) {
  const SegmentTargets targets(logits.size(), segments, labels, weights);
  const std::int64_t sequence = segments.sequence(), grain = row_grain(sequence);
  loss[0] = static_cast<float>(sum_of_pieces(targets.rows(), grain, [&](std::int64_t begin, std::int64_t end) {
    double sum = 0;
    for (std::int64_t r = begin; r < end; ++r)
      targets.for_row(r, [&](const Segment& segment, std::int32_t label, float weight) {
        sum += loss_of(logits.data() + r * sequence + segment.first, segment.tokens, label, weight);
      });
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
      } else {
        gradient_of(logits.data() + r * classes, classes, labels[r], dloss[0] * weights[r], row);
      }
    }
  });
}

void cross_entropy_gradient(std::span<const float> logits, const Segments& segments,
                            std::span<const std::int32_t> labels, std::span<const float> weights,
                            std::span<const float> dloss, std::span<float> dlogits) {
  const SegmentTargets targets(logits.size(), segments, labels, weights);
  const std::int64_t sequence = segments.sequence();
  parallel_for_ranges(targets.rows(), row_grain(sequence), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      std::fill_n(dlogits.data() + r * sequence, sequence, 0.0f);
      targets.for_row(r, [&](const Segment& segment, std::int32_t label, float weight) {
        const std::int64_t at = r * sequence + segment.first;
        gradient_of(logits.data() + at, segment.tokens, label, dloss[0] * weight, dlogits.data() + at);
      });
    }
  });
}

}  // namespace phasor::kernels
