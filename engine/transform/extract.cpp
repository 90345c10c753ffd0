#include "engine/transform/extract.h"

#include "engine/ir/op_table.h"

namespace phasor {

namespace {

// Which values are needed to compute `wanted`, stopping at those available.
std::vector<bool> find_needed(const Graph& graph, const std::vector<bool>& available, std::span<const Value> wanted) {
  std::vector<bool> needed(graph.values.size(), false);
  for (Value value : wanted) needed[value.id] = true;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    bool runs = false;
    for (Value output : node->outputs) runs |= needed[output.id] && !available[output.id];
    if (!runs) continue;
    for (Value input : node->inputs) needed[input.id] = true;
  }
  return needed;
}

}  // namespace

Extracted extract(const Graph& graph, std::span<const Value> available, std::span<const Value> wanted) {
  std::vector<bool> given(graph.values.size(), false);
  for (Value value : available) given[value.id] = true;
  const std::vector<bool> needed = find_needed(graph, given, wanted);

  Extracted result;
  std::vector<Value> renamed(graph.values.size());
  for (Value value : available) {
    if (!needed[value.id]) continue;
    renamed[value.id] = result.graph.add_input(graph.spec(value), graph[value].name);
    result.inputs.push_back(value);
  }
  for (const Node& node : graph.nodes) {
    bool runs = false;
    for (Value output : node.outputs) runs |= needed[output.id] && !given[output.id];
    if (!runs) continue;
    Node copy{node.op, node.attributes, {}, {}};
    for (Value input : node.inputs) {
      ensure(renamed[input.id].valid(), "extract: {} needs %{}, an input that is not available", op_info(node.op).name,
             input.id);
      copy.inputs.push_back(renamed[input.id]);
    }
    for (Value output : node.outputs) {
      const Value value{static_cast<std::int32_t>(result.graph.values.size())};
      ValueInfo info = graph[output];
      info.producer = static_cast<std::int32_t>(result.graph.nodes.size());
      result.graph.values.push_back(std::move(info));
      copy.outputs.push_back(value);
      if (!given[output.id]) renamed[output.id] = value;
    }
    result.graph.nodes.push_back(std::move(copy));
  }
  for (Value value : wanted) {
    ensure(renamed[value.id].valid(), "extract: %{} cannot be computed from what is available", value.id);
    result.graph.outputs.push_back(renamed[value.id]);
  }
  return result;
}

}  // namespace phasor
