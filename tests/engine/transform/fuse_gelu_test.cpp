#include "engine/transform/fuse_gelu.h"

#include <gtest/gtest.h>

#include "engine/ir/builder.h"
#include "engine/ir/verifier.h"
#include "tests/support/fast_executor.h"
#include "tests/support/inputs.h"

namespace phasor::test {
namespace {

struct GeluExample {
  GeluExample() : b(graph) {
    x = graph.add_input({DType::f32, {3, 4}}, "x");
    dy = graph.add_input({DType::f32, {3, 4}}, "dy");
  }
  std::vector<Op> ops(int first = 0) const {
    const Graph fused = fuse_gelu(graph, first);
    verify(fused);
    std::vector<Op> all;
    for (const Node& node : fused.nodes) all.push_back(node.op);
    return all;
  }
  Graph graph;
  Builder b;
  Value x, dy;
};

TEST(FuseGelu, JoinsAndDelaysWhatReadsTheResult) {
  GeluExample e;
  const Value y = e.b.gelu(e.x), sum = e.b.add(y, e.x), dx = e.b.gelu_gradient(e.x, e.b.add(e.dy, e.dy));
  e.graph.outputs = {sum, dx};
  EXPECT_EQ(e.ops(), (std::vector{Op::add, Op::gelu_with_gradient, Op::add}));

  std::vector<Elements<float>> inputs(2);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Floats values = uniform(i, 12, -3, 3);
    inputs[i].reals.assign(values.begin(), values.end());
  }
  EXPECT_TRUE(run_graph(fuse_gelu(e.graph, 0), inputs) == run_graph(e.graph, inputs));
}

TEST(FuseGelu, NotWhereTheGradientNeedsTheResult) {
  GeluExample e;
  const Value y = e.b.gelu(e.x);
  e.graph.outputs = {e.b.gelu_gradient(e.x, e.b.add(y, e.dy))};
  EXPECT_EQ(e.ops(), (std::vector{Op::gelu, Op::add, Op::gelu_gradient}));
}

TEST(FuseGelu, NotOfAnotherInputNorKindNorInFrontOfTheFirst) {
  GeluExample e;
  e.graph.outputs = {e.b.gelu(e.dy), e.b.gelu_gradient(e.x, e.dy)};
  EXPECT_EQ(e.ops(), (std::vector{Op::gelu, Op::gelu_gradient}));
  GeluExample other;
  other.graph.outputs = {other.b.gelu(other.x), other.b.gelu_gradient(other.x, other.dy, {GeluKind::tanh})};
  EXPECT_EQ(other.ops(), (std::vector{Op::gelu, Op::gelu_gradient}));
  GeluExample early;
  early.graph.outputs = {early.b.gelu(early.x), early.b.gelu_gradient(early.x, early.dy)};
  EXPECT_EQ(early.ops(1), (std::vector{Op::gelu, Op::gelu_gradient}));
  EXPECT_EQ(early.ops(0), (std::vector{Op::gelu_with_gradient}));
}

TEST(FuseGelu, KeepsTheKind) {
  GeluExample e;
  const Value y = e.b.gelu(e.x, {GeluKind::tanh}), dx = e.b.gelu_gradient(e.x, e.dy, {GeluKind::tanh});
  e.graph.outputs = {y, dx};
  const Graph fused = fuse_gelu(e.graph, 0);
  ASSERT_EQ(fused.nodes.size(), 1u);
  EXPECT_EQ(std::get<GeluAttributes>(fused.nodes[0].attributes).kind, GeluKind::tanh);
}

TEST(FuseGelu, SeveralPairs) {
  GeluExample e;
  const Value z = e.b.add(e.x, e.dy);
  const Value a = e.b.gelu(e.x), c = e.b.gelu(z);
  const Value dz = e.b.gelu_gradient(z, e.dy), dx = e.b.gelu_gradient(e.x, dz);
  e.graph.outputs = {a, c, dz, dx};
  EXPECT_EQ(e.ops(), (std::vector{Op::add, Op::gelu_with_gradient, Op::gelu_with_gradient}));
}

}  // namespace
}  // namespace phasor::test
