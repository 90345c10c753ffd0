// Reorders a graph so that some nodes run as soon as they can.
#pragma once

#include "engine/ir/graph.h"

namespace phasor {

// Moves every node from `first` on directly behind the last node that it depends on; nodes that land behind the same
// node keep their order. Results are the same; values that these nodes consume die earlier.
Graph hoist(Graph graph, int first);

}  // namespace phasor
