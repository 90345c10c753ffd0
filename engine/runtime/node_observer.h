// Sees what a graph computes as it is computed: for whoever compares two executions, or disturbs one to see how far it
// carries.
#pragma once

#include <cstddef>
#include <span>

#include "engine/ir/graph.h"

namespace phasor {

// Called by the thread that runs the graph. Views end with the call.
class NodeObserver {
 public:
  virtual ~NodeObserver() = default;

  // Before the first node: the graph's inputs, in its order.
  virtual void begin(const Graph& graph, std::span<const TensorView> inputs) = 0;
  // Behind each node: its outputs. What is written to them is what later nodes read.
  virtual void made(const Graph& graph, const Node& node, std::span<const TensorView> outputs) = 0;
};

}  // namespace phasor
