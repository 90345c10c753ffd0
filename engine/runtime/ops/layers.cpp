#include "engine/kernels/attention.h"
#include "engine/kernels/embedding.h"
#include "engine/kernels/norm.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {

kernels::AttentionShape attention_shape(const Shape& qkv, const Attributes& attributes) {
  const auto& options = std::get<AttentionAttributes>(attributes);
  return {.batch = qkv[0],
          .sequence = qkv[1],
          .heads = options.heads,
          .head_size = qkv[2] / (3 * options.heads),
          .dropout_probability = options.probability,
          .site = options.site};
}

}  // namespace

void layer_norm(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const auto& out = arguments.outputs;
  kernels::layer_norm(std::get<NormAttributes>(arguments.node.attributes).eps, read(in[0]), read(in[1]), read(in[2]),
                      write(out[0]), write(out[1]), write(out[2]));
}

void layer_norm_gradient(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const auto& out = arguments.outputs;
  kernels::layer_norm_gradient(read(in[0]), read(in[1]), read(in[2]), read(in[3]), read(in[4]), write(out[0]),
                               write(out[1]), write(out[2]), arguments.scratch);
}

std::int64_t layer_norm_gradient_scratch(const Graph& graph, const Node& node, int) {
  const Shape& x = graph.spec(node.inputs[0]).shape;
  return kernels::layer_norm_gradient_scratch(x.rows(), x.columns());
}

void embedding(const KernelArguments& arguments) {
  kernels::embedding(arguments.inputs[0].spec.shape.columns(), read(arguments.inputs[0]), read_ids(arguments.inputs[1]),
                     write(arguments.outputs[0]));
}

void embedding_gradient(const KernelArguments& arguments) {
  kernels::embedding_gradient(arguments.outputs[0].spec.shape.columns(),
                              std::get<EmbeddingAttributes>(arguments.node.attributes).padding,
                              read_ids(arguments.inputs[0]), read(arguments.inputs[1]), write(arguments.outputs[0]));
}

void attention(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  kernels::attention(attention_shape(in[0].spec.shape, arguments.node.attributes), read_position(in[2]), read(in[0]),
                     read(in[1]), write(arguments.outputs[0]), write(arguments.outputs[1]), arguments.scratch);
}

void attention_gradient(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  kernels::attention_gradient(attention_shape(in[0].spec.shape, arguments.node.attributes), read_position(in[2]),
                              read(in[0]), read(in[1]), read(in[3]), read(in[4]), read(in[5]),
                              write(arguments.outputs[0]), arguments.scratch);
}

std::int64_t attention_scratch(const Graph& graph, const Node& node, int threads) {
  return kernels::attention_scratch(attention_shape(graph.spec(node.inputs[0]).shape, node.attributes), threads);
}

std::int64_t attention_gradient_scratch(const Graph& graph, const Node& node, int threads) {
  return kernels::attention_gradient_scratch(attention_shape(graph.spec(node.inputs[0]).shape, node.attributes),
                                             threads);
}

}  // namespace phasor::adapters
