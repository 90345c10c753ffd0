// Graphs of two inputs and one output of one size, with workspaces of none to two such. The output may lie where the
// first input lies. Nothing grows beyond three times the inputs.
#pragma once

#include "tests/engine/program/small_program.h"

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
    default: {  // two, of which the op behind the first may not overwrite it
      const Value u = b.gelu(x), v = b.gelu(u);
      graph.outputs = {b.add(u, b.gelu(b.add(v, y)))};
    }
  }
  return graph;
}

}  // namespace phasor::test
