#include "engine/plan/graph_memory_checker.h"

#include <algorithm>

#include "engine/ir/op_table.h"
#include "engine/plan/occupancy.h"
#include "engine/plan/plan_bounds.h"

namespace phasor {

namespace {

class GraphMemoryChecker {
 public:
  GraphMemoryChecker(const Graph& graph, const GraphMemory& memory, const MemoryPlan& plan)
      : graph_(graph), memory_(memory), occupancy_(plan.offsets, memory.request.bytes) {}

  void run() {
    for (int node = 0; node < static_cast<int>(graph_.nodes.size()); ++node) check_node(node);
  }

 private:
  void check_node(int number) {
    const Node& node = graph_.nodes[number];
    const std::string_view op = op_info(node.op).name;
    occupancy_.begin_moment();
    const auto take = [&](int block) {
      ensure(occupancy_.take(block) == Occupancy::kNobody, "workspace: node {} ({}) uses two places that overlap",
             number, op);
    };
    std::vector<int> inputs, outputs;
    for (Value input : node.inputs) {
      const int block = memory_.block_of_value[input.id];
      inputs.push_back(block);
      if (block == GraphMemory::kExternal) continue;
      ensure(occupancy_.holds(block, input.id), "workspace: node {} ({}) reads value {}, whose place it has lost",
             number, op, input.id);
      take(block);
    }
    for (int k = 0; k < static_cast<int>(node.outputs.size()); ++k) {
      const int block = memory_.block_of_value[node.outputs[k].id];
      if (block == GraphMemory::kExternal) continue;
      const bool in_place = k < op_info(node.op).overwritable_inputs && inputs[k] == block;
      ensure(std::ranges::count(inputs, block) == (in_place ? 1 : 0) && std::ranges::count(outputs, block) == 0,
             "workspace: node {} ({}) writes to the place of another operand", number, op);
      take(block);
      outputs.push_back(block);
    }
    const int scratch = memory_.scratch_of_node[number];
    if (scratch != GraphMemory::kExternal) {
      ensure(std::ranges::count(inputs, scratch) + std::ranges::count(outputs, scratch) == 0,
             "workspace: node {} ({}) has its scratch in the place of an operand", number, op);
      take(scratch);
      occupancy_.write(scratch, kScratch);
    }
    for (Value output : node.outputs) {
      const int block = memory_.block_of_value[output.id];
      if (block != GraphMemory::kExternal) occupancy_.write(block, output.id);
    }
  }

  static constexpr int kScratch = -2;  // no value's number

  const Graph& graph_;
  const GraphMemory& memory_;
  Occupancy occupancy_;
};

}  // namespace

void check_graph_memory(const Graph& graph, const GraphMemory& memory, const MemoryPlan& plan) {
  check_bounds("workspace", memory.request.bytes, plan.offsets, plan.peak_bytes, plan.lower_bound_bytes);
  GraphMemoryChecker(graph, memory, plan).run();
}

}  // namespace phasor
