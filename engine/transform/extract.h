// The part of a graph that computes some values from others: dead code goes, values become inputs.
#pragma once

#include <span>
#include <vector>

#include "engine/ir/graph.h"

namespace phasor {

struct Extracted {
  Graph graph;                // its outputs correspond to the wanted values, one by one
  std::vector<Value> inputs;  // of the new graph's inputs, in their order: the value of the old graph
};

// `available` are the values (inputs or intermediates of `graph`) that will be given; those that are needed become
// inputs, in the order of `available`. Nodes keep their order.
Extracted extract(const Graph& graph, std::span<const Value> available, std::span<const Value> wanted);

}  // namespace phasor
