#include <array>

#include "engine/runtime/kernel_table.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor {

namespace {

// In the order of enum Op.
constexpr std::array<KernelInfo, kOps> kTable{{
    {adapters::matmul, adapters::matmul_scratch, adapters::prepare_matmul},
    {adapters::matmul_add, adapters::matmul_add_scratch, adapters::prepare_matmul_add},
    {adapters::pack, nullptr, adapters::prepare_pack},
    {adapters::add},
    {adapters::reduce_sum},
    {adapters::gelu},
    {adapters::gelu_gradient},
    {adapters::gelu_with_gradient},
    {adapters::dropout},
    {adapters::layer_norm},
    {adapters::layer_norm_gradient, adapters::layer_norm_gradient_scratch},
    {adapters::dropout_add_norm},
    {adapters::dropout_add_norm_gradient, adapters::dropout_add_norm_gradient_scratch},
    {adapters::embedding},
    {adapters::embedding_slice},
    {adapters::embedding_gradient},
    {adapters::embedding_gradient_add, adapters::embedding_gradient_add_scratch},
    {adapters::attention, adapters::attention_scratch, adapters::prepare_attention},
    {adapters::attention_gradient, adapters::attention_gradient_scratch, adapters::prepare_attention_gradient},
    {adapters::cross_entropy},
    {adapters::cross_entropy_gradient},
    {adapters::transpose},
    {adapters::reshape},
    {adapters::convert},
    {adapters::iota},
    {adapters::adam},
    {adapters::stochastic_round},
    {adapters::square_sum},
    {adapters::clip_factor},
}};

}  // namespace

const KernelInfo& kernel_info(Op op) { return kTable[static_cast<std::size_t>(op)]; }

}  // namespace phasor
