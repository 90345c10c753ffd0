// Joins a gelu that is made again with its gradient: both evaluate the same distribution.
#pragma once

#include "engine/ir/graph.h"

namespace phasor {

// Among the nodes from `first` on, gelu(x) followed by gelu_gradient(x, dy) becomes gelu_with_gradient(x, dy), in the
// place of the latter; what uses the result of gelu comes behind it. Where that would delay what dy is made of, nothing
// changes. Results are the same to the bit; ids of values stay as they are.
Graph fuse_gelu(Graph graph, int first);

}  // namespace phasor
