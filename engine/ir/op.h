// The ops that nodes are made of. What is known of each stands in the op table (op_table.h).
#pragma once

#include <cstdint>

namespace phasor {

enum class Op : std::uint8_t {
  matmul,
  matmul_add,
  pack,
  add,
  reduce_sum,
  gelu,
  gelu_gradient,
  gelu_with_gradient,
  relu,
  relu_gradient,
  dropout,
  layer_norm,
  layer_norm_gradient,
  dropout_add_norm,
  dropout_add_norm_gradient,
  embedding,
  embedding_slice,
  embedding_gradient,
  embedding_gradient_add,
  attention,
  attention_gradient,
  attention_cached,
  conv2d,
  conv2d_input_gradient,
  conv2d_weight_gradient,
  max_pool2d,
  max_pool2d_gradient,
  cross_entropy,
  cross_entropy_gradient,
  vocabulary_sums,
  vocabulary_loss,
  vocabulary_loss_gradient,
  vocabulary_gradient,
  vocabulary_gradient_add,
  vocabulary_sums_with_gradient,
  vocabulary_logits,
  transpose,
  reshape,
  convert,
  places,
  adam,
  lamb_moments,
  lamb_ratio,
  lamb_weights,
  momentum,
  descent,
  stochastic_round,
  square_sum,
  clip_factor,
};
inline constexpr int kOps = static_cast<int>(Op::clip_factor) + 1;

}  // namespace phasor
