#include <array>

#include "engine/ir/op_table.h"
#include "engine/ir/ops/rules.h"

namespace phasor {

namespace {

// In the order of enum Op.
constexpr std::array<OpInfo, kOps> kTable{{
    {"matmul", rules::matmul, rules::matmul_flops},
    {"matmul_add", rules::matmul_add, rules::matmul_add_flops, 1},
    {"pack", rules::pack},
    {"add", rules::add, nullptr, 1},
    {"reduce_sum", rules::reduce_sum},
    {"gelu", rules::gelu, nullptr, 1},
    {"gelu_gradient", rules::gelu_gradient},
    {"gelu_with_gradient", rules::gelu_with_gradient},
    {"dropout", rules::dropout, nullptr, 1},
    {"layer_norm", rules::layer_norm},
    {"layer_norm_gradient", rules::layer_norm_gradient},
    {"dropout_add_norm", rules::dropout_add_norm},
    {"dropout_add_norm_gradient", rules::dropout_add_norm_gradient},
    {"embedding", rules::embedding},
    {"embedding_slice", rules::embedding_slice, nullptr, 1},
    {"embedding_gradient", rules::embedding_gradient},
    {"embedding_gradient_add", rules::embedding_gradient_add, nullptr, 1},
    {"attention", rules::attention, rules::attention_flops},
    {"attention_gradient", rules::attention_gradient, rules::attention_gradient_flops},
    {"cross_entropy", rules::cross_entropy},
    {"cross_entropy_gradient", rules::cross_entropy_gradient},
    {"transpose", rules::transpose},
    {"reshape", rules::reshape},
    {"convert", rules::convert},
    {"iota", rules::iota},
    {"adam", rules::adam, nullptr, 3},
    {"stochastic_round", rules::stochastic_round},
    {"square_sum", rules::square_sum, nullptr, 1},
    {"clip_factor", rules::clip_factor},
}};

}  // namespace

const OpInfo& op_info(Op op) { return kTable[static_cast<std::size_t>(op)]; }

}  // namespace phasor
