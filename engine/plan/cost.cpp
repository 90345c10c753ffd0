#include "engine/plan/cost.h"

#include "engine/ir/op_table.h"

namespace phasor {

Cost& Cost::operator+=(const Cost& other) {
  flops += other.flops;
  bytes += other.bytes;
  return *this;
}

Cost cost_of(const Graph& graph) {
  Cost cost;
  for (const Node& node : graph.nodes) {
    Specs inputs;
    for (Value input : node.inputs) {
      inputs.push_back(graph.spec(input));
      cost.bytes += static_cast<double>(inputs.back().bytes());
    }
    for (Value output : node.outputs) cost.bytes += static_cast<double>(graph.spec(output).bytes());
    if (const FlopRule flops = op_info(node.op).flops) cost.flops += flops(inputs, node.attributes);
  }
  return cost;
}

}  // namespace phasor
