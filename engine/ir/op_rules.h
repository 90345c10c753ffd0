// The shape and cost rules that the op table lists, one source file a family of ops (ops/). Formulas stand with the
// kernels.
#pragma once

#include "engine/ir/op_info.h"

namespace phasor::rules {

using Shapes = Specs(std::span<const TensorSpec> inputs, const Attributes& attributes);
using Cost = double(std::span<const TensorSpec> inputs, const Attributes& attributes);

Shapes matmul, matmul_add, pack;
Shapes add, reduce_sum;
Shapes gelu, gelu_gradient, gelu_with_gradient;
Shapes relu, relu_gradient;
Shapes dropout;
Shapes layer_norm, layer_norm_gradient, dropout_add_norm, dropout_add_norm_gradient;
Shapes embedding, embedding_slice, embedding_gradient, embedding_gradient_add;
Shapes attention, attention_gradient, attention_cached;
Shapes conv2d, conv2d_input_gradient, conv2d_weight_gradient;
Shapes max_pool2d, max_pool2d_gradient;
Shapes cross_entropy, cross_entropy_gradient;
Shapes vocabulary_sums, vocabulary_loss, vocabulary_loss_gradient, vocabulary_gradient, vocabulary_gradient_add,
    vocabulary_sums_with_gradient, vocabulary_logits;
Shapes transpose, reshape, convert, places;
Shapes adam, lamb_moments, lamb_ratio, lamb_weights, momentum, descent, stochastic_round, square_sum, clip_factor;
Shapes adafactor_sums, adafactor_factors, adafactor_squares, adafactor_weights;

Cost matmul_flops, matmul_add_flops;
Cost attention_flops, attention_gradient_flops, attention_cached_flops;
Cost conv2d_flops, conv2d_input_gradient_flops, conv2d_weight_gradient_flops;
Cost vocabulary_sums_flops, vocabulary_gradient_flops, vocabulary_gradient_add_flops,
    vocabulary_sums_with_gradient_flops, vocabulary_logits_flops;
// The bytes of the rows that the ids name, but for those that other slices have.
Cost embedding_bytes, embedding_slice_bytes, embedding_gradient_bytes, embedding_gradient_add_bytes;

}  // namespace phasor::rules
