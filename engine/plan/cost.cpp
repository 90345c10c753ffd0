#include "engine/plan/cost.h"

#include "engine/plan/operand_roles.h"

namespace phasor {

namespace {

double bytes_of(const Graph& graph, Value value) { return static_cast<double>(graph.spec(value).bytes()); }

// Of an op that reads and writes whole tensors.
double dense_bytes(const Graph& graph, const Node& node) {
  double bytes = 0;
  for (Value input : node.inputs) bytes += bytes_of(graph, input);
  for (Value output : node.outputs) bytes += bytes_of(graph, output);
  return bytes;
}

// The rows of a table that ids name are `row_bytes` long, each: those of a slice that other slices have do not count.
double touched_bytes(const Graph& graph, const Node& node, std::int64_t row_bytes) {
  const auto& attributes = std::get<EmbeddingAttributes>(node.attributes);
  const TensorSpec& ids = graph.spec(node.inputs[operand_of(node.op, OperandRole::ids)]);
  double rows = static_cast<double>(ids.elements());
  if (attributes.whole > 0) rows *= static_cast<double>(attributes.entries) / static_cast<double>(attributes.whole);
  return static_cast<double>(ids.bytes()) + rows * static_cast<double>(row_bytes);
}

// The rows that a lookup moves, or that make a gradient: y or dy.
const TensorSpec& rows_of(const Graph& graph, const Node& node) {
  return graph.spec(node.op == Op::embedding ? node.outputs[0] : node.inputs[operand_of(node.op, OperandRole::rows)]);
}

double bytes_moved(const Graph& graph, const Node& node) {
  switch (node.op) {
    case Op::embedding:  // read and written
    case Op::embedding_slice: {
      const TensorSpec& y = rows_of(graph, node);
      return touched_bytes(graph, node, 2 * y.shape.columns() * size_of(y.dtype));
    }
    case Op::embedding_gradient: {  // of the rows of dy; the table is written whole
      const TensorSpec& dy = rows_of(graph, node);
      return touched_bytes(graph, node, dy.shape.columns() * size_of(dy.dtype)) + bytes_of(graph, node.outputs[0]);
    }
    case Op::embedding_gradient_add: {  // and of those of the sum, read and written
      const TensorSpec& dy = rows_of(graph, node);
      return touched_bytes(graph, node, dy.shape.columns() * (size_of(dy.dtype) + 2 * size_of(DType::f32)));
    }
    case Op::matmul:
    case Op::matmul_add:
    case Op::pack:
    case Op::add:
    case Op::reduce_sum:
    case Op::gelu:
    case Op::gelu_gradient:
    case Op::gelu_with_gradient:
    case Op::dropout:
    case Op::layer_norm:
    case Op::layer_norm_gradient:
    case Op::dropout_add_norm:
    case Op::dropout_add_norm_gradient:
    case Op::attention:
    case Op::attention_gradient:
    case Op::cross_entropy:
    case Op::cross_entropy_gradient:
    case Op::transpose:
    case Op::reshape:
    case Op::convert:
    case Op::iota:
    case Op::adam:
    case Op::stochastic_round:
    case Op::square_sum:
    case Op::clip_factor:
      return dense_bytes(graph, node);
  }
  throw InternalError("an op moves no bytes");
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  flops += other.flops;
  bytes += other.bytes;
  return *this;
}

Cost cost_of(const Graph& graph, const Node& node) {
  Cost cost{.bytes = bytes_moved(graph, node)};
  if (const FlopRule flops = op_info(node.op).flops) {
    Specs inputs;
    for (Value input : node.inputs) inputs.push_back(graph.spec(input));
    cost.flops = flops(inputs, node.attributes);
  }
  return cost;
}

Cost cost_of(const Graph& graph) {
  Cost cost;
  for (const Node& node : graph.nodes) cost += cost_of(graph, node);
  return cost;
}

}  // namespace phasor
