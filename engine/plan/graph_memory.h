// What room a graph needs while it runs, besides its inputs and outputs, which others place.
#pragma once

#include <span>

#include "engine/ir/graph.h"
#include "engine/plan/memory_plan.h"

namespace phasor {

struct GraphMemory {
  static constexpr int kExternal = -1;
  std::vector<int> block_of_value;   // kExternal for the graph's inputs and outputs
  std::vector<int> scratch_of_node;  // kExternal for a node without scratch
  MemoryRequest request;             // times are node numbers
};

// Intermediates live from their producer to their last use; where an op may overwrite an input that dies there, its
// output shares the input's block. `scratch_bytes` of a node live only while it runs.
GraphMemory graph_memory(const Graph& graph, std::span<const std::int64_t> scratch_bytes);

}  // namespace phasor
