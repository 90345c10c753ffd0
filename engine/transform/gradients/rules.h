// The gradient of each op, written with the builder; one source file a family of ops. Formulas stand with the kernels.
#pragma once

#include <span>
#include <vector>

#include "engine/ir/builder.h"

namespace phasor {

// One an input of the node, invalid where there is none (ids, labels, positions).
using Gradients = std::vector<Value>;

// `dy` holds a gradient for each output of the node, invalid where nothing depends on that output.
using GradientRule = Gradients (*)(Builder& b, const Node& node, std::span<const Value> dy);

// Null for an op that is not differentiable.
GradientRule gradient_rule(Op op);

namespace gradients {

#define PHASOR_GRADIENT_RULE(name) Gradients name(Builder& b, const Node& node, std::span<const Value> dy)

PHASOR_GRADIENT_RULE(matmul);
PHASOR_GRADIENT_RULE(add);
PHASOR_GRADIENT_RULE(gelu);
PHASOR_GRADIENT_RULE(dropout);
PHASOR_GRADIENT_RULE(layer_norm);
PHASOR_GRADIENT_RULE(dropout_add_norm);
PHASOR_GRADIENT_RULE(embedding);
PHASOR_GRADIENT_RULE(embedding_slice);
PHASOR_GRADIENT_RULE(attention);
PHASOR_GRADIENT_RULE(cross_entropy);
PHASOR_GRADIENT_RULE(transpose);
PHASOR_GRADIENT_RULE(reshape);
PHASOR_GRADIENT_RULE(convert);

#undef PHASOR_GRADIENT_RULE

}  // namespace gradients
}  // namespace phasor
