// Trades arithmetic for memory: the backward part of a graph makes the activations it needs again.
// Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016.
#pragma once

#include <span>

#include "engine/ir/graph.h"

namespace phasor {

// Nodes from `first_backward` on no longer use results of the nodes before it, apart from the values in `kept`;
// instead the nodes that made these results are repeated, each once, just before the first node that needs them.
// The repeated nodes run the same kernels on the same bits, dropout included. Ids of values stay as they are.
Graph recompute(const Graph& graph, int first_backward, std::span<const Value> kept);

}  // namespace phasor
