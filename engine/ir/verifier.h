// Proves that a graph is well formed: each value has one producer that stands before its uses, shapes follow from the
// op table, and inputs and outputs exist. Throws InternalError naming the node. Run after every transform.
#pragma once

#include "engine/ir/graph.h"

namespace phasor {

void verify(const Graph& graph);

}  // namespace phasor
