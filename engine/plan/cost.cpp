#include "engine/plan/cost.h"

#include "engine/ir/op_table.h"

namespace phasor {

namespace {

double bytes_moved(const Graph& graph, const Node& node, const Specs& inputs) {
  if (const CostRule rule = op_info(node.op).bytes) return rule(inputs, node.attributes);
  double bytes = 0;
  for (const TensorSpec& input : inputs) bytes += static_cast<double>(input.bytes());
  for (Value output : node.outputs) bytes += static_cast<double>(graph.spec(output).bytes());
  return bytes;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  flops += other.flops;
  bytes += other.bytes;
  return *this;
}

Cost cost_of(const Graph& graph, const Node& node) {
  Specs inputs;
  for (Value input : node.inputs) inputs.push_back(graph.spec(input));
  const CostRule flops = op_info(node.op).flops;
  return {.flops = flops ? flops(inputs, node.attributes) : 0, .bytes = bytes_moved(graph, node, inputs)};
}

Cost cost_of(const Graph& graph) {
  Cost cost;
  for (const Node& node : graph.nodes) cost += cost_of(graph, node);
  return cost;
}

}  // namespace phasor
