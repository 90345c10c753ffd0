#include "engine/transform/hoist.h"

#include <gtest/gtest.h>

#include "engine/ir/printer.h"
#include "tests/engine/transform/matrix.h"
#include "tests/engine/transform/training_example.h"
#include "tests/support/fast_executor.h"

namespace phasor::test {
namespace {

// c and d move behind a and b, on which they depend; e, which needs an input alone, to the front; the rest stays.
TEST(Hoist, MovesNodesBehindTheirLastOperand) {
  Graph graph;
  Builder build(graph);
  const Value x = graph.add_input(kMatrix, "x");
  const auto named = [&](Value value, std::string name) {
    graph[value].name = std::move(name);
    return value;
  };
  const Value a = named(build.gelu(x), "a"), b = named(build.transpose(a), "b"), last = named(build.gelu(b), "last");
  const int first = static_cast<int>(graph.nodes.size());
  const Value c = named(build.add(a, x), "c"), d = named(build.add(b, c), "d"), e = named(build.add(x, x), "e");
  graph.outputs = {last, d, e};

  const Graph hoisted = hoist(graph, first);
  verify(hoisted);
  EXPECT_EQ(to_string(hoisted),
            "inputs  %0.x: f32[3, 3]\n"
            "  %6.e: f32[3, 3] = add(%0.x, %0.x)\n"
            "  %1.a: f32[3, 3] = gelu(%0.x)\n"
            "  %4.c: f32[3, 3] = add(%1.a, %0.x)\n"
            "  %2.b: f32[3, 3] = transpose(%1.a)\n"
            "  %5.d: f32[3, 3] = add(%2.b, %4.c)\n"
            "  %3.last: f32[3, 3] = gelu(%2.b)\n"
            "outputs %3.last, %5.d, %6.e\n");
}

TEST(Hoist, NothingToMove) {
  const TrainingExample e;
  EXPECT_EQ(to_string(hoist(e.graph, static_cast<int>(e.graph.nodes.size()))), to_string(e.graph));
}

TEST(Hoist, GivesTheSameBits) {
  const TrainingExample e;
  const auto expected = run_graph(e.graph, e.inputs());
  for (int first = 0; first < static_cast<int>(e.graph.nodes.size()); ++first) {
    const Graph hoisted = hoist(e.graph, first);
    verify(hoisted);
    EXPECT_TRUE(run_graph(hoisted, e.inputs()) == expected) << first;
  }
}

}  // namespace
}  // namespace phasor::test
