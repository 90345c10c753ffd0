// Cross-entropy of rows of logits against one label a row, each row with a weight of its own: the caller's weights
// normalise over whatever set counts as the whole, and 0 ignores a row.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/segments.h"

namespace phasor::kernels {

// loss[0] = sum over rows r of weights[r] * (log sum exp logits[r] - logits[r, labels[r]]).
// logits [rows, classes]; labels, weights [rows]. A row of weight 0 may have any label.
void cross_entropy(std::span<const float> logits, std::span<const std::int32_t> labels, std::span<const float> weights,
                   std::span<float> loss);

// dlogits[r] = dloss[0] * weights[r] * (softmax(logits[r]) - one_hot(labels[r])).
void cross_entropy_gradient(std::span<const float> logits, std::span<const std::int32_t> labels,
                            std::span<const float> weights, std::span<const float> dloss, std::span<float> dlogits);

// The same over the tokens of each segment: logits [rows, sequence], where rows are a multiple of segments.rows() and
// those of row r are of the tokens of row r % segments.rows(); labels, weights [rows, segments.of_a_row()], and a label
// counts from its segment's first token. One of weight 0 or without tokens counts nothing.
void cross_entropy(std::span<const float> logits, const Segments& segments, std::span<const std::int32_t> labels,
                   std::span<const float> weights, std::span<float> loss);

// dlogits is 0 where there is no segment.
void cross_entropy_gradient(std::span<const float> logits, const Segments& segments,
                            std::span<const std::int32_t> labels, std::span<const float> weights,
                            std::span<const float> dloss, std::span<float> dlogits);

}  // namespace phasor::kernels
