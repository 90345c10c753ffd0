// What running a graph once costs, apart from any machine.
#pragma once

#include "engine/ir/graph.h"

namespace phasor {

struct Cost {
  double flops = 0;  // of matrix products, a multiply-add counting as two
  double bytes = 0;  // read and written by the nodes, as if nothing stayed in a cache
  Cost& operator+=(const Cost& other);
};

// A lookup in a table, or an addition to one, moves the rows that it touches and no others.
Cost cost_of(const Graph& graph, const Node& node);
Cost cost_of(const Graph& graph);

}  // namespace phasor
