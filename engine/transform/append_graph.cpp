#include "engine/transform/append_graph.h"

namespace phasor {

std::vector<Value> append_graph(Graph& target, const Graph& source, std::span<const Value> inputs) {
  ensure(inputs.size() == source.inputs.size(), "append_graph: {} values for {} inputs", inputs.size(),
         source.inputs.size());
  std::vector<Value> renamed(source.values.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value input = source.inputs[i];
    ensure(target.spec(inputs[i]) == source.spec(input), "append_graph: input '{}' is {}, expected {}",
           source[input].name, to_string(target.spec(inputs[i])), to_string(source.spec(input)));
    renamed[input.id] = inputs[i];
  }
  for (const Node& node : source.nodes) {
    Node copy{node.op, node.attributes, {}, {}};
    for (Value input : node.inputs) copy.inputs.push_back(renamed[input.id]);
    for (Value output : node.outputs) {
      renamed[output.id] = {static_cast<std::int32_t>(target.values.size())};
      ValueInfo info = source[output];
      info.producer = static_cast<std::int32_t>(target.nodes.size());
      target.values.push_back(std::move(info));
      copy.outputs.push_back(renamed[output.id]);
    }
    target.nodes.push_back(std::move(copy));
  }
  return renamed;
}

}  // namespace phasor
