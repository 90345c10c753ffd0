// From a node and its tensors to the arguments of a kernel, one source file a family of ops.
#pragma once

#include "engine/ir/operands.h"
#include "engine/ir/records.h"
#include "engine/runtime/kernel_table.h"

namespace phasor::adapters {

using Run = void(const KernelArguments& arguments);
using Scratch = std::int64_t(const Graph& graph, const Node& node, int threads);
using Prepare = std::unique_ptr<Prepared>(const Graph& graph, const Node& node, int threads);

Run matmul, matmul_add, pack;
Run add, reduce_sum;
Run gelu, gelu_gradient, gelu_with_gradient;
Run relu, relu_gradient;
Run dropout;
Run layer_norm, layer_norm_gradient, dropout_add_norm, dropout_add_norm_gradient;
Run embedding, embedding_slice, embedding_gradient, embedding_gradient_add;
Run attention, attention_gradient, attention_cached;
Run conv2d, conv2d_input_gradient, conv2d_weight_gradient;
Run max_pool2d, max_pool2d_gradient;
Run cross_entropy, cross_entropy_gradient;
Run vocabulary_sums, vocabulary_loss, vocabulary_loss_gradient, vocabulary_gradient, vocabulary_gradient_add,
    vocabulary_sums_with_gradient, vocabulary_logits;
Run transpose, reshape, convert, places;
Run adam, lamb_moments, lamb_ratio, lamb_weights, momentum, descent, stochastic_round, square_sum, clip_factor;
Run adafactor_sums, adafactor_factors, adafactor_squares, adafactor_weights;

Scratch matmul_scratch, matmul_add_scratch;
Scratch layer_norm_gradient_scratch, dropout_add_norm_gradient_scratch;
Scratch embedding_gradient_add_scratch;
Scratch attention_scratch, attention_gradient_scratch, attention_cached_scratch;
Scratch conv2d_scratch, conv2d_input_gradient_scratch, conv2d_weight_gradient_scratch;
Scratch max_pool2d_gradient_scratch;
Scratch vocabulary_sums_scratch, vocabulary_gradient_scratch, vocabulary_gradient_add_scratch,
    vocabulary_sums_with_gradient_scratch, vocabulary_logits_scratch;

Prepare prepare_matmul, prepare_matmul_add, prepare_pack;
Prepare prepare_attention, prepare_attention_gradient;
Prepare prepare_vocabulary_sums, prepare_vocabulary_gradient, prepare_vocabulary_gradient_add,
    prepare_vocabulary_sums_with_gradient, prepare_vocabulary_logits;

// The tensors of a node of `op` by name.
template <Op op>
Inputs<op, TensorView> inputs(const KernelArguments& arguments) {
  return Inputs<op, TensorView>(arguments.inputs);
}
template <Op op>
Outputs<op, TensorView> outputs(const KernelArguments& arguments) {
  return Outputs<op, TensorView>(arguments.outputs);
}

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
// Of the rows of a tensor [rows, tokens, ...] of that shape.
inline Segments read_segments(const TensorView& view, const Shape& tensor) {
  return {read_ids(view), tensor[0], tensor[1]};
}
inline RandomPosition read_position(const TensorView& view) {
  return PositionRecord::read(view.as<const std::int64_t>()).random;
}

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
