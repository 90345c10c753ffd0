// From a node and its tensors to the arguments of a kernel, one source file a family of ops.
#pragma once

#include "engine/base/random.h"
#include "engine/runtime/kernel_table.h"

namespace phasor::adapters {

void matmul(const KernelArguments& arguments);
void matmul_add(const KernelArguments& arguments);
void pack(const KernelArguments& arguments);
void add(const KernelArguments& arguments);
void reduce_sum(const KernelArguments& arguments);
void gelu(const KernelArguments& arguments);
void gelu_gradient(const KernelArguments& arguments);
void gelu_with_gradient(const KernelArguments& arguments);
void dropout(const KernelArguments& arguments);
void layer_norm(const KernelArguments& arguments);
void layer_norm_gradient(const KernelArguments& arguments);
void dropout_add_norm(const KernelArguments& arguments);
void dropout_add_norm_gradient(const KernelArguments& arguments);
void embedding(const KernelArguments& arguments);
void embedding_slice(const KernelArguments& arguments);
void embedding_gradient(const KernelArguments& arguments);
void embedding_gradient_add(const KernelArguments& arguments);
void attention(const KernelArguments& arguments);
void attention_gradient(const KernelArguments& arguments);
void cross_entropy(const KernelArguments& arguments);
void cross_entropy_gradient(const KernelArguments& arguments);
void transpose(const KernelArguments& arguments);
void reshape(const KernelArguments& arguments);
void convert(const KernelArguments& arguments);
void iota(const KernelArguments& arguments);
void adam(const KernelArguments& arguments);
void stochastic_round(const KernelArguments& arguments);
void square_sum(const KernelArguments& arguments);
void clip_factor(const KernelArguments& arguments);

std::int64_t matmul_scratch(const Graph& graph, const Node& node, int threads);
std::int64_t matmul_add_scratch(const Graph& graph, const Node& node, int threads);
std::int64_t layer_norm_gradient_scratch(const Graph& graph, const Node& node, int threads);
std::int64_t dropout_add_norm_gradient_scratch(const Graph& graph, const Node& node, int threads);
std::int64_t embedding_gradient_add_scratch(const Graph& graph, const Node& node, int threads);
std::int64_t attention_scratch(const Graph& graph, const Node& node, int threads);
std::int64_t attention_gradient_scratch(const Graph& graph, const Node& node, int threads);

std::unique_ptr<Prepared> prepare_matmul(const Graph& graph, const Node& node, int threads);
std::unique_ptr<Prepared> prepare_matmul_add(const Graph& graph, const Node& node, int threads);
std::unique_ptr<Prepared> prepare_pack(const Graph& graph, const Node& node, int threads);
std::unique_ptr<Prepared> prepare_attention(const Graph& graph, const Node& node, int threads);
std::unique_ptr<Prepared> prepare_attention_gradient(const Graph& graph, const Node& node, int threads);

template <class T>
std::span<const T> read(const TensorView& view) {
  return view.as<const T>();
}
template <class T>
std::span<T> write(const TensorView& view) {
  return view.as<T>();
}
inline std::span<const float> read_float(const TensorView& view) { return view.as<const float>(); }
inline std::span<float> write_float(const TensorView& view) { return view.as<float>(); }
inline std::span<const std::int32_t> read_ids(const TensorView& view) { return view.as<const std::int32_t>(); }
inline RandomPosition read_position(const TensorView& view) {
  const auto numbers = view.as<const std::int64_t>();
  return {.seed = numbers[0], .step = numbers[1], .first_sample = numbers[2], .stage = numbers[3]};
}
// The number of the slice that a position, of either kind, is for.
inline std::int64_t read_slice(const TensorView& position) { return position.as<const std::int64_t>()[4]; }

// body.template operator()<T>() with the T that `dtype` stands for: float or bfloat16.
template <class Body>
decltype(auto) with_real(DType dtype, Body&& body) {
  if (dtype == DType::bf16) return body.template operator()<bfloat16>();
  ensure(dtype == DType::f32, "kernel: no arithmetic in {}", name_of(dtype));
  return body.template operator()<float>();
}

template <class T>
std::span<T> scratch_as(const KernelArguments& arguments) {
  return {reinterpret_cast<T*>(arguments.scratch.data()), arguments.scratch.size() / sizeof(T)};
}

// A kernel's class as what was prepared for a node.
template <class K>
struct PreparedKernel : Prepared {
  template <class... Arguments>
  explicit PreparedKernel(Arguments&&... arguments) : kernel(std::forward<Arguments>(arguments)...) {}
  K kernel;
};
template <class K>
const K& prepared_as(const KernelArguments& arguments) {
  return static_cast<const PreparedKernel<K>&>(*arguments.prepared).kernel;
}

}  // namespace phasor::adapters
