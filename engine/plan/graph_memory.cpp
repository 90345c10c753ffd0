#include "engine/plan/graph_memory.h"

#include <algorithm>

#include "engine/ir/op_table.h"

namespace phasor {

namespace {

std::vector<int> last_uses(const Graph& graph) {
  std::vector<int> last(graph.values.size(), -1);
  for (std::size_t i = 0; i < graph.values.size(); ++i) last[i] = graph.values[i].producer;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    for (Value input : graph.nodes[node].inputs) last[input.id] = static_cast<int>(node);
  }
  return last;
}

}  // namespace

GraphMemory graph_memory(const Graph& graph, std::span<const std::int64_t> scratch_bytes) {
  const std::vector<int> last = last_uses(graph);
  std::vector<bool> external(graph.values.size(), false);
  for (Value value : graph.inputs) external[value.id] = true;
  for (Value value : graph.outputs) external[value.id] = true;

  GraphMemory memory;
  memory.block_of_value.assign(graph.values.size(), GraphMemory::kExternal);
  memory.scratch_of_node.assign(graph.nodes.size(), GraphMemory::kExternal);
  const auto new_block = [&](std::int64_t bytes, int begin, int end) {
    memory.request.bytes.push_back(bytes);
    const int block = static_cast<int>(memory.request.bytes.size()) - 1;
    memory.request.ranges.push_back({block, begin, end});
    return block;
  };
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    const Node& node = graph.nodes[i];
    for (int k = 0; k < static_cast<int>(node.outputs.size()); ++k) {
      const Value output = node.outputs[k];
      if (external[output.id]) continue;
      const bool overwrites = k < op_info(node.op).overwritable_inputs && !external[node.inputs[k].id] &&
                              last[node.inputs[k].id] == i &&
                              std::count(node.inputs.begin(), node.inputs.end(), node.inputs[k]) == 1;
      if (overwrites) {
        const int block = memory.block_of_value[node.inputs[k].id];
        memory.block_of_value[output.id] = block;
        memory.request.ranges.push_back({block, i, last[output.id]});
      } else {
        memory.block_of_value[output.id] = new_block(graph.spec(output).bytes(), i, last[output.id]);
      }
    }
    if (scratch_bytes[i] > 0) memory.scratch_of_node[i] = new_block(scratch_bytes[i], i, i);
  }
  return memory;
}

}  // namespace phasor
