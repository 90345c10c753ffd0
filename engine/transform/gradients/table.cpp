#include "engine/transform/gradients/rules.h"

namespace phasor {

GradientRule gradient_rule(Op op) {
  switch (op) {
    case Op::matmul:
      return gradients::matmul;
    case Op::add:
      return gradients::add;
    case Op::gelu:
      return gradients::gelu;
    case Op::relu:
      return gradients::relu;
    case Op::dropout:
      return gradients::dropout;
    case Op::layer_norm:
      return gradients::layer_norm;
    case Op::dropout_add_norm:
      return gradients::dropout_add_norm;
    case Op::embedding:
      return gradients::embedding;
    case Op::embedding_slice:
      return gradients::embedding_slice;
    case Op::attention:
      return gradients::attention;
    case Op::conv2d:
      return gradients::conv2d;
    case Op::max_pool2d:
      return gradients::max_pool2d;
    case Op::cross_entropy:
      return gradients::cross_entropy;
    case Op::vocabulary_sums:
      return gradients::vocabulary_sums;
    case Op::vocabulary_loss:
      return gradients::vocabulary_loss;
    case Op::transpose:
      return gradients::transpose;
    case Op::reshape:
      return gradients::reshape;
    case Op::convert:
      return gradients::convert;
    case Op::places:
    case Op::matmul_add:
    case Op::pack:
    case Op::reduce_sum:
    case Op::gelu_gradient:
    case Op::gelu_with_gradient:
    case Op::relu_gradient:
    case Op::layer_norm_gradient:
    case Op::dropout_add_norm_gradient:
    case Op::embedding_gradient:
    case Op::embedding_gradient_add:
    case Op::attention_gradient:
    case Op::attention_cached:
    case Op::conv2d_input_gradient:
    case Op::conv2d_weight_gradient:
    case Op::max_pool2d_gradient:
    case Op::cross_entropy_gradient:
    case Op::vocabulary_loss_gradient:
    case Op::vocabulary_gradient:
    case Op::vocabulary_gradient_add:
    case Op::vocabulary_sums_with_gradient:
    case Op::vocabulary_logits:
    case Op::adam:
    case Op::lamb_moments:
    case Op::lamb_ratio:
    case Op::lamb_weights:
    case Op::momentum:
    case Op::descent:
    case Op::adafactor_sums:
    case Op::adafactor_factors:
    case Op::adafactor_squares:
    case Op::adafactor_weights:
    case Op::stochastic_round:
    case Op::square_sum:
    case Op::clip_factor:
      return nullptr;
  }
  return nullptr;
}

}  // namespace phasor
