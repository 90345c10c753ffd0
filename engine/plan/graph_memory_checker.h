// Proves a placed workspace, by going through the graph's nodes as a run would.
#pragma once

#include "engine/plan/graph_memory.h"

namespace phasor {

// Throws InternalError unless every intermediate is whole when a node reads it, nothing that a node uses overlaps but
// an input that its op overwrites, and everything lies within the peak, aligned. `memory` is the graph's, `plan` places
// memory.request.
void check_graph_memory(const Graph& graph, const GraphMemory& memory, const MemoryPlan& plan);

}  // namespace phasor
