#include <algorithm>

#include "engine/ir/op_table.h"
#include "engine/program/check/checks.h"

namespace phasor {

namespace {

// The last node that reads each value, or -1.
std::vector<int> last_readers(const Graph& graph) {
  std::vector<int> last(graph.values.size(), -1);
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    for (Value input : graph.nodes[node].inputs) last[input.id] = static_cast<int>(node);
  }
  return last;
}

// Whether `output` of the graph may lie where its input `input` lies: every node that reads the input has run by the
// time the output is written, and the node that writes it may overwrite what it reads.
bool may_overwrite(const Graph& graph, Value output, Value input, int last_reader) {
  const int producer = graph[output].producer;
  if (producer < 0 || last_reader > producer) return false;
  if (last_reader < producer) return true;
  const Node& node = graph.nodes[producer];
  const auto k = std::ranges::find(node.outputs, output) - node.outputs.begin();
  return std::ranges::count(node.inputs, input) == 1 && k < op_info(node.op).overwritable_inputs &&
         node.inputs[k] == input;
}

// Whether two operands of a call that are in one slot share a byte of it.
bool meet(const Graph& graph, const Call& call, int a, int b) {
  const auto spec = [&](int operand) {
    const auto inputs = static_cast<int>(graph.inputs.size());
    return graph.spec(operand < inputs ? graph.inputs[operand] : graph.outputs[operand - inputs]);
  };
  return call.offset(a) < call.offset(b) + spec(b).bytes() && call.offset(b) < call.offset(a) + spec(a).bytes();
}

void check_call_overwrites(const Program& program, const Call& call, const std::vector<int>& last) {
  const NamedGraph& named = program.graphs[call.graph];
  const Graph& graph = named.graph;
  const int inputs = static_cast<int>(graph.inputs.size());
  std::vector<std::pair<std::int32_t, int>> places;  // the slot and the number of each operand
  for (int i = 0; i < static_cast<int>(call.slots.size()); ++i) places.emplace_back(call.slots[i], i);
  std::ranges::sort(places);
  // Of the operands of a slot the inputs come first.
  for (std::size_t i = 1; i < places.size(); ++i) {
    const auto [slot, operand] = places[i];
    if (operand < inputs) continue;
    for (std::size_t other = i; other > 0 && places[other - 1].first == slot; --other) {
      const int before = places[other - 1].second;
      if (!meet(graph, call, operand, before)) continue;
      ensure(before < inputs && call.offset(operand) == call.offset(before) &&
                 may_overwrite(graph, graph.outputs[operand - inputs], graph.inputs[before],
                               last[graph.inputs[before].id]),
             "program: graph '{}' writes slot '{}', which it still needs", named.name, program.slots[slot]);
    }
  }
}

}  // namespace

void check_overwrites(const Program& program) {
  std::vector<std::vector<int>> last;
  for (const NamedGraph& graph : program.graphs) last.push_back(last_readers(graph.graph));
  for (const Call& call : program.calls) check_call_overwrites(program, call, last[call.graph]);
}

}  // namespace phasor
