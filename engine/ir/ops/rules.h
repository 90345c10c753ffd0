// The shape and cost rules that the op table lists, one source file a family of ops. Formulas stand with the kernels.
#pragma once

#include "engine/ir/op_table.h"
#include "engine/ir/records.h"

namespace phasor::rules {

#define PHASOR_SHAPE_RULE(name) Specs name(std::span<const TensorSpec> inputs, const Attributes& attributes)

PHASOR_SHAPE_RULE(matmul);
PHASOR_SHAPE_RULE(matmul_add);
PHASOR_SHAPE_RULE(pack);
PHASOR_SHAPE_RULE(add);
PHASOR_SHAPE_RULE(reduce_sum);
PHASOR_SHAPE_RULE(gelu);
PHASOR_SHAPE_RULE(gelu_gradient);
PHASOR_SHAPE_RULE(gelu_with_gradient);
PHASOR_SHAPE_RULE(dropout);
PHASOR_SHAPE_RULE(layer_norm);
PHASOR_SHAPE_RULE(layer_norm_gradient);
PHASOR_SHAPE_RULE(dropout_add_norm);
PHASOR_SHAPE_RULE(dropout_add_norm_gradient);
PHASOR_SHAPE_RULE(embedding);
PHASOR_SHAPE_RULE(embedding_slice);
PHASOR_SHAPE_RULE(embedding_gradient);
PHASOR_SHAPE_RULE(embedding_gradient_add);
PHASOR_SHAPE_RULE(attention);
PHASOR_SHAPE_RULE(attention_gradient);
PHASOR_SHAPE_RULE(cross_entropy);
PHASOR_SHAPE_RULE(cross_entropy_gradient);
PHASOR_SHAPE_RULE(transpose);
PHASOR_SHAPE_RULE(reshape);
PHASOR_SHAPE_RULE(convert);
PHASOR_SHAPE_RULE(iota);
PHASOR_SHAPE_RULE(adam);
PHASOR_SHAPE_RULE(stochastic_round);
PHASOR_SHAPE_RULE(square_sum);
PHASOR_SHAPE_RULE(clip_factor);

#undef PHASOR_SHAPE_RULE

double matmul_flops(std::span<const TensorSpec> inputs, const Attributes& attributes);
double matmul_add_flops(std::span<const TensorSpec> inputs, const Attributes& attributes);
double attention_flops(std::span<const TensorSpec> inputs, const Attributes& attributes);
double attention_gradient_flops(std::span<const TensorSpec> inputs, const Attributes& attributes);

// Throws InternalError unless there are `expected` inputs.
void expect_inputs(std::string_view op, std::span<const TensorSpec> inputs, std::size_t expected);
// Throws InternalError unless the input has that spec; `what` names it.
void expect_spec(std::string_view op, std::string_view what, const TensorSpec& actual, const TensorSpec& expected);

}  // namespace phasor::rules
