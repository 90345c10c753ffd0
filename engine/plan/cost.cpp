#include "engine/plan/cost.h"

#include "engine/ir/op_table.h"

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

double bytes_moved(const Graph& graph, const Node& node) {
  switch (node.op) {
    case Op::embedding:  // table, ids -> y
      return bytes_of(graph, node.inputs[1]) + 2 * bytes_of(graph, node.outputs[0]);
    case Op::embedding_gradient_add: {  // sum, ids, dy -> sum, whose rows are f32
      const TensorSpec& dy = graph.spec(node.inputs[2]);
      return bytes_of(graph, node.inputs[1]) +
             static_cast<double>(dy.bytes() + 2 * dy.elements() * size_of(DType::f32));
    }
    default:
      return dense_bytes(graph, node);
  }
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
