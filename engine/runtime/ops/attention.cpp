#include "engine/kernels/attention.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {

kernels::AttentionShape attention_shape(const Graph& graph, const Node& node) {
  const auto& options = std::get<AttentionAttributes>(node.attributes);
  const Shape& qkv = graph.spec(node.inputs[0]).shape;
  return {.batch = qkv[0],
          .sequence = qkv[1],
          .heads = options.heads,
          .head_size = qkv[2] / (3 * options.heads),
          .dropout_probability = options.probability,
          .site = options.site};
}

DType dtype_of_qkv(const Graph& graph, const Node& node) { return graph.spec(node.inputs[0]).dtype; }

}  // namespace

std::int64_t attention_scratch(const Graph& graph, const Node& node, int threads) {
  return with_real(dtype_of_qkv(graph, node), [&]<class T>() {
    return kernels::attention_scratch_bytes<T>(attention_shape(graph, node), threads);
  });
}
std::int64_t attention_gradient_scratch(const Graph& graph, const Node& node, int threads) {
  return with_real(dtype_of_qkv(graph, node), [&]<class T>() {
    return kernels::attention_gradient_scratch_bytes<T>(attention_shape(graph, node), threads);
  });
}

std::unique_ptr<Prepared> prepare_attention(const Graph& graph, const Node& node, int threads) {
  return with_real(dtype_of_qkv(graph, node), [&]<class T>() -> std::unique_ptr<Prepared> {
    return std::make_unique<PreparedKernel<kernels::Attention<T>>>(attention_shape(graph, node), threads);
  });
}
std::unique_ptr<Prepared> prepare_attention_gradient(const Graph& graph, const Node& node, int threads) {
  return with_real(dtype_of_qkv(graph, node), [&]<class T>() -> std::unique_ptr<Prepared> {
    return std::make_unique<PreparedKernel<kernels::AttentionGradient<T>>>(attention_shape(graph, node), threads);
  });
}

void attention(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const auto& out = arguments.outputs;
  with_real(in[0].spec.dtype, [&]<class T>() {
    prepared_as<kernels::Attention<T>>(arguments).run(read_position(in[2]), read<T>(in[0]), read_float(in[1]),
                                                      write<T>(out[0]), write_float(out[1]), arguments.scratch);
  });
}

void attention_gradient(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  with_real(in[0].spec.dtype, [&]<class T>() {
    prepared_as<kernels::AttentionGradient<T>>(arguments).run(read_position(in[2]), read<T>(in[0]), read_float(in[1]),
                                                              read<T>(in[3]), read_float(in[4]), read<T>(in[5]),
                                                              write<T>(arguments.outputs[0]), arguments.scratch);
  });
}

}  // namespace phasor::adapters
