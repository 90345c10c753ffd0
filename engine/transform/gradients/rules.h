// The gradient of each op, written with the builder; one source file a family of ops. Formulas stand with the kernels.
#pragma once

#include <span>
#include <vector>

#include "engine/ir/builder.h"
#include "engine/ir/operands.h"

namespace phasor {

// One for each input of the node, invalid where there is none (ids, labels, positions).
using Gradients = std::vector<Value>;

// `dy` holds a gradient for each output of the node, invalid where nothing depends on that output.
using GradientRule = Gradients (*)(Builder& b, const Node& node, std::span<const Value> dy);

// Null for an op that is not differentiable.
GradientRule gradient_rule(Op op);

namespace gradients {

using Rule = Gradients(Builder& b, const Node& node, std::span<const Value> dy);

Rule matmul;
Rule add;
Rule gelu;
Rule relu;
Rule dropout;
Rule layer_norm, dropout_add_norm;
Rule embedding, embedding_slice;
Rule attention;
Rule conv2d;
Rule max_pool2d;
Rule cross_entropy;
Rule vocabulary_sums, vocabulary_loss;
Rule transpose, reshape, convert;

}  // namespace gradients
}  // namespace phasor
