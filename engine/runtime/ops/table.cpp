#include <array>

#include "engine/runtime/kernel_table.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor {

namespace {

constexpr std::array<KernelInfo, kOps> kTable{{
    {.op = Op::matmul,
     .run = adapters::matmul,
     .scratch = adapters::matmul_scratch,
     .prepare = adapters::prepare_matmul},
    {.op = Op::matmul_add,
     .run = adapters::matmul_add,
     .scratch = adapters::matmul_add_scratch,
     .prepare = adapters::prepare_matmul_add},
    {.op = Op::pack, .run = adapters::pack, .prepare = adapters::prepare_pack},
    {.op = Op::add, .run = adapters::add},
    {.op = Op::reduce_sum, .run = adapters::reduce_sum},
    {.op = Op::gelu, .run = adapters::gelu},
    {.op = Op::gelu_gradient, .run = adapters::gelu_gradient},
    {.op = Op::gelu_with_gradient, .run = adapters::gelu_with_gradient},
    {.op = Op::relu, .run = adapters::relu},
    {.op = Op::relu_gradient, .run = adapters::relu_gradient},
    {.op = Op::dropout, .run = adapters::dropout},
    {.op = Op::layer_norm, .run = adapters::layer_norm},
    {.op = Op::layer_norm_gradient,
     .run = adapters::layer_norm_gradient,
     .scratch = adapters::layer_norm_gradient_scratch},
    {.op = Op::dropout_add_norm, .run = adapters::dropout_add_norm},
    {.op = Op::dropout_add_norm_gradient,
     .run = adapters::dropout_add_norm_gradient,
     .scratch = adapters::dropout_add_norm_gradient_scratch},
    {.op = Op::embedding, .run = adapters::embedding},
    {.op = Op::embedding_slice, .run = adapters::embedding_slice},
    {.op = Op::embedding_gradient, .run = adapters::embedding_gradient},
    {.op = Op::embedding_gradient_add,
     .run = adapters::embedding_gradient_add,
     .scratch = adapters::embedding_gradient_add_scratch},
    {.op = Op::attention,
     .run = adapters::attention,
     .scratch = adapters::attention_scratch,
     .prepare = adapters::prepare_attention},
    {.op = Op::attention_gradient,
     .run = adapters::attention_gradient,
     .scratch = adapters::attention_gradient_scratch,
     .prepare = adapters::prepare_attention_gradient},
    {.op = Op::attention_cached, .run = adapters::attention_cached, .scratch = adapters::attention_cached_scratch},
    {.op = Op::conv2d, .run = adapters::conv2d, .scratch = adapters::conv2d_scratch},
    {.op = Op::conv2d_input_gradient,
     .run = adapters::conv2d_input_gradient,
     .scratch = adapters::conv2d_input_gradient_scratch},
    {.op = Op::conv2d_weight_gradient,
     .run = adapters::conv2d_weight_gradient,
     .scratch = adapters::conv2d_weight_gradient_scratch},
    {.op = Op::max_pool2d, .run = adapters::max_pool2d},
    {.op = Op::max_pool2d_gradient,
     .run = adapters::max_pool2d_gradient,
     .scratch = adapters::max_pool2d_gradient_scratch},
    {.op = Op::cross_entropy, .run = adapters::cross_entropy},
    {.op = Op::cross_entropy_gradient, .run = adapters::cross_entropy_gradient},
    {.op = Op::vocabulary_sums,
     .run = adapters::vocabulary_sums,
     .scratch = adapters::vocabulary_sums_scratch,
     .prepare = adapters::prepare_vocabulary_sums},
    {.op = Op::vocabulary_loss, .run = adapters::vocabulary_loss},
    {.op = Op::vocabulary_loss_gradient, .run = adapters::vocabulary_loss_gradient},
    {.op = Op::vocabulary_gradient,
     .run = adapters::vocabulary_gradient,
     .scratch = adapters::vocabulary_gradient_scratch,
     .prepare = adapters::prepare_vocabulary_gradient},
    {.op = Op::vocabulary_gradient_add,
     .run = adapters::vocabulary_gradient_add,
     .scratch = adapters::vocabulary_gradient_add_scratch,
     .prepare = adapters::prepare_vocabulary_gradient_add},
    {.op = Op::vocabulary_sums_with_gradient,
     .run = adapters::vocabulary_sums_with_gradient,
     .scratch = adapters::vocabulary_sums_with_gradient_scratch,
     .prepare = adapters::prepare_vocabulary_sums_with_gradient},
    {.op = Op::vocabulary_logits,
     .run = adapters::vocabulary_logits,
     .scratch = adapters::vocabulary_logits_scratch,
     .prepare = adapters::prepare_vocabulary_logits},
    {.op = Op::transpose, .run = adapters::transpose},
    {.op = Op::reshape, .run = adapters::reshape},
    {.op = Op::convert, .run = adapters::convert},
    {.op = Op::places, .run = adapters::places},
    {.op = Op::adam, .run = adapters::adam},
    {.op = Op::lamb_moments, .run = adapters::lamb_moments},
    {.op = Op::lamb_ratio, .run = adapters::lamb_ratio},
    {.op = Op::lamb_weights, .run = adapters::lamb_weights},
    {.op = Op::momentum, .run = adapters::momentum},
    {.op = Op::descent, .run = adapters::descent},
    {.op = Op::adafactor_sums, .run = adapters::adafactor_sums},
    {.op = Op::adafactor_factors, .run = adapters::adafactor_factors},
    {.op = Op::adafactor_squares, .run = adapters::adafactor_squares},
    {.op = Op::adafactor_weights, .run = adapters::adafactor_weights},
    {.op = Op::stochastic_round, .run = adapters::stochastic_round},
    {.op = Op::square_sum, .run = adapters::square_sum},
    {.op = Op::clip_factor, .run = adapters::clip_factor},
}};

// Each op has its row, and in its place.
constexpr bool is_complete() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (kTable[i].op != static_cast<Op>(i)) return false;
  }
  return true;
}
static_assert(is_complete(), "the kernel table lacks a row or has one in another place than enum Op");

}  // namespace

const KernelInfo& kernel_info(Op op) { return kTable[static_cast<std::size_t>(op)]; }

}  // namespace phasor
