// From a node and its tensors to the arguments of a kernel, one source file a family of ops.
#pragma once

#include "engine/base/random.h"
#include "engine/runtime/kernel_table.h"

namespace phasor::adapters {

void matmul(const KernelArguments& arguments);
void add(const KernelArguments& arguments);
void reduce_sum(const KernelArguments& arguments);
void gelu(const KernelArguments& arguments);
void gelu_gradient(const KernelArguments& arguments);
void dropout(const KernelArguments& arguments);
void layer_norm(const KernelArguments& arguments);
void layer_norm_gradient(const KernelArguments& arguments);
void embedding(const KernelArguments& arguments);
void embedding_gradient(const KernelArguments& arguments);
void attention(const KernelArguments& arguments);
void attention_gradient(const KernelArguments& arguments);
void cross_entropy(const KernelArguments& arguments);
void cross_entropy_gradient(const KernelArguments& arguments);
void transpose(const KernelArguments& arguments);
void reshape(const KernelArguments& arguments);
void iota(const KernelArguments& arguments);
void adam(const KernelArguments& arguments);
void square_sum(const KernelArguments& arguments);
void clip_factor(const KernelArguments& arguments);

std::int64_t layer_norm_gradient_scratch(const Graph& graph, const Node& node, int threads);
std::int64_t attention_scratch(const Graph& graph, const Node& node, int threads);
std::int64_t attention_gradient_scratch(const Graph& graph, const Node& node, int threads);

inline std::span<const float> read(const TensorView& view) { return view.as<const float>(); }
inline std::span<const std::int32_t> read_ids(const TensorView& view) { return view.as<const std::int32_t>(); }
inline std::span<float> write(const TensorView& view) { return view.as<float>(); }
inline RandomPosition read_position(const TensorView& view) {
  const auto numbers = view.as<const std::int64_t>();
  return {.seed = numbers[0], .step = numbers[1], .first_sample = numbers[2], .stage = numbers[3]};
}

}  // namespace phasor::adapters
