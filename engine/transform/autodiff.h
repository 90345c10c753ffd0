// Reverse-mode differentiation, Graph -> Graph.
#pragma once

#include <span>
#include <vector>

#include "engine/ir/graph.h"

namespace phasor {

// A value to differentiate and the gradient that arrives there from outside.
struct Seed {
  Value y, dy;
};

// What the gradient of a value is called.
inline std::string gradient_name(const std::string& value) { return "d " + value; }

// Appends to `graph` the nodes that compute the gradient of sum over seeds of <y, dy> by each value of `by`, and
// returns these gradients: same order, invalid where no seed depends on the value. Where a value is used several times
// its gradients are added from the last use to the first. The gradient of a node's output that has a name gets one,
// too.
std::vector<Value> autodiff(Graph& graph, std::span<const Seed> seeds, std::span<const Value> by);

}  // namespace phasor
