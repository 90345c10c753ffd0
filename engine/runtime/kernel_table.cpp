#include "engine/runtime/kernel_table.h"

#include <array>

#include "engine/runtime/ops/adapters.h"

namespace phasor {

namespace {

// In the order of enum Op.
constexpr std::array<KernelInfo, kOps> kTable{{
    {adapters::matmul},
    {adapters::add},
    {adapters::reduce_sum},
    {adapters::gelu},
    {adapters::gelu_gradient},
    {adapters::dropout},
    {adapters::layer_norm},
    {adapters::layer_norm_gradient, adapters::layer_norm_gradient_scratch},
    {adapters::embedding},
    {adapters::embedding_gradient},
    {adapters::attention, adapters::attention_scratch},
    {adapters::attention_gradient, adapters::attention_gradient_scratch},
    {adapters::cross_entropy},
    {adapters::cross_entropy_gradient},
    {adapters::transpose},
    {adapters::reshape},
    {adapters::iota},
    {adapters::adam},
    {adapters::square_sum},
    {adapters::clip_factor},
}};

}  // namespace

const KernelInfo& kernel_info(Op op) { return kTable[static_cast<std::size_t>(op)]; }

}  // namespace phasor
