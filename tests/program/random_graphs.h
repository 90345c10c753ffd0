// Graphs of two inputs and one output of one size, with workspaces of none to three such, which may write their output
// over their first input. No value is more than about twice as large as the inputs.
#pragma once

#include "tests/program/small_program.h"

namespace phasor::test {

inline constexpr int kRandomGraphs = 4;

inline Graph random_graph(int kind, std::int64_t elements) {
  Graph graph;
  const Value x = graph.add_input(vector_spec(elements), "x"), y = graph.add_input(vector_spec(elements), "y");
  Builder b(graph);
  switch (kind) {
    case 0:  // no workspace
      graph.outputs = {b.add(x, y)};
      break;
    case 1:  // one intermediate, updated in place
      graph.outputs = {b.gelu(b.gelu(b.add(x, y)))};
      break;
    case 2: {  // two that are alive together
      const Value u = b.gelu(x), v = b.gelu(y);
      graph.outputs = {b.add(u, v)};
      break;
    }
    default: {  // three, the first of which is read last
      const Value u = b.gelu(x), v = b.gelu(y), w = b.gelu(b.gelu(v));
      graph.outputs = {b.gelu(b.add(u, w))};
    }
  }
  return graph;
}

}  // namespace phasor::test
