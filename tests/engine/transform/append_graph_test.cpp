#include "engine/transform/append_graph.h"

#include <gtest/gtest.h>

#include "engine/ir/builder.h"
#include "engine/ir/printer.h"
#include "engine/ir/verifier.h"
#include "tests/engine/transform/matrix.h"

namespace phasor::test {
namespace {

// y = gelu(x w)
struct Source {
  Source() {
    Builder b(graph);
    x = graph.add_input(kMatrix, "x");
    w = graph.add_input(kMatrix, "w");
    y = b.gelu(b.matmul(x, w));
    graph[y].name = std::string("y");
    graph.outputs = {y};
  }
  Graph graph;
  Value x, w, y;
};

TEST(AppendGraph, OneBehindTheOther) {
  const Source source;
  Graph target;
  const Value v = target.add_input(kMatrix, "v"), x = target.add_input(kMatrix, "x");
  const Value once = append_graph(target, source.graph, std::vector{x, v})[source.y.id];
  const std::vector<Value> renamed = append_graph(target, source.graph, std::vector{once, v});
  target.outputs = {renamed[source.y.id]};
  verify(target);
  EXPECT_EQ(renamed[source.x.id], once);
  EXPECT_EQ(renamed[source.w.id], v);
  EXPECT_EQ(to_string(target),
            "inputs  %0.v: f32[3, 3], %1.x: f32[3, 3]\n"
            "  %2: f32[3, 3] = matmul(%1.x, %0.v)\n"
            "  %3.y: f32[3, 3] = gelu(%2)\n"
            "  %4: f32[3, 3] = matmul(%3.y, %0.v)\n"
            "  %5.y: f32[3, 3] = gelu(%4)\n"
            "outputs %5.y\n");
}

TEST(AppendGraph, RefusesInputsThatDoNotFit) {
  const Source source;
  Graph target;
  const Value x = target.add_input(kMatrix, "x"), flat = target.add_input({DType::f32, {9}}, "flat");
  EXPECT_THROW(append_graph(target, source.graph, std::vector{x}), InternalError);
  EXPECT_THROW(append_graph(target, source.graph, std::vector{x, flat}), InternalError);
}

}  // namespace
}  // namespace phasor::test
