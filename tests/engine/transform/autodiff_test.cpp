#include "engine/transform/autodiff.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "engine/ir/builder.h"
#include "engine/ir/printer.h"
#include "engine/ir/verifier.h"
#include "tests/engine/transform/matrix.h"

namespace phasor::test {
namespace {

std::vector<Value> differentiate(Graph& graph, Value y, Value dy, const std::vector<Value>& by) {
  const Seed seed{y, dy};
  std::vector<Value> gradients = autodiff(graph, std::span(&seed, 1), by);
  verify(graph);
  return gradients;
}

bool has_op(const Graph& graph, Op op) { return std::ranges::count(graph.nodes, op, &Node::op) > 0; }

// A value that is used three times gets its parts from the last use to the first.
TEST(Autodiff, FanOutAddsContributions) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input(kMatrix, "x");
  const Value first = b.gelu(x), second = b.transpose(x), y = b.add(b.add(first, second), x);
  const Value dy = graph.add_input(kMatrix, "dy");
  graph.outputs = differentiate(graph, y, dy, {x});
  EXPECT_EQ(to_string(graph),
            "inputs  %0.x: f32[3, 3], %5.dy: f32[3, 3]\n"
            "  %1: f32[3, 3] = gelu(%0.x)\n"
            "  %2: f32[3, 3] = transpose(%0.x)\n"
            "  %3: f32[3, 3] = add(%1, %2)\n"
            "  %4: f32[3, 3] = add(%3, %0.x)\n"
            "  %6: f32[3, 3] = transpose(%5.dy)\n"
            "  %7: f32[3, 3] = add(%5.dy, %6)\n"
            "  %8: f32[3, 3] = gelu_gradient(%0.x, %5.dy)\n"
            "  %9: f32[3, 3] = add(%7, %8)\n"
            "outputs %9\n");
}

TEST(Autodiff, WhatIsNotAskedForGetsNoGradient) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input(kMatrix, "x"), w = graph.add_input(kMatrix, "w");
  const Value y = b.matmul(b.gelu(x), w);
  const auto gradients = differentiate(graph, y, graph.add_input(kMatrix, "dy"), {w});
  EXPECT_TRUE(gradients[0].valid());
  EXPECT_FALSE(has_op(graph, Op::gelu_gradient));
}

TEST(Autodiff, WhatNothingDependsOnHasNoGradient) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input(kMatrix, "x"), unused = graph.add_input(kMatrix, "unused");
  const Value y = b.gelu(x), beside = b.gelu(unused);
  const auto gradients = differentiate(graph, y, graph.add_input(kMatrix, "dy"), {x, unused, beside});
  EXPECT_TRUE(gradients[0].valid());
  EXPECT_FALSE(gradients[1].valid());
  EXPECT_FALSE(gradients[2].valid());
}

TEST(Autodiff, IdsAndPositionsHaveNoGradient) {
  Graph graph;
  Builder b(graph);
  const Value table = graph.add_input({DType::f32, {7, 3}}, "table"), ids = graph.add_input({DType::i32, {3}}, "ids");
  const Value y = b.embedding(table, ids);
  const auto gradients = differentiate(graph, y, graph.add_input(kMatrix, "dy"), {table, ids});
  EXPECT_EQ(graph.spec(gradients[0]), graph.spec(table));
  EXPECT_FALSE(gradients[1].valid());
}

TEST(Autodiff, SeedsAdd) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input(kMatrix, "x");
  const Value y = b.gelu(x), z = b.transpose(x);
  const std::array<Seed, 2> seeds{Seed{y, graph.add_input(kMatrix, "dy")}, Seed{z, graph.add_input(kMatrix, "dz")}};
  const Value dx = autodiff(graph, seeds, std::span(&x, 1))[0];
  verify(graph);
  EXPECT_EQ(graph.nodes[graph[dx].producer].op, Op::add);
}

TEST(Autodiff, OfAValueByItselfIsTheSeed) {
  Graph graph;
  Builder b(graph);
  const Value y = b.gelu(graph.add_input(kMatrix, "x")), dy = graph.add_input(kMatrix, "dy");
  EXPECT_EQ(differentiate(graph, y, dy, {y})[0], dy);
}

TEST(Autodiff, RefusesASeedOfAnotherShape) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input(kMatrix, "x"), y = b.gelu(x);
  const Value flat = graph.add_input({DType::f32, {9}}, "dy");
  EXPECT_THROW(differentiate(graph, y, flat, {x}), InternalError);
}

TEST(Autodiff, RefusesAnOpWithoutRule) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input(kMatrix, "x"), y = b.reduce_sum(x, {3});
  const Value dy = graph.add_input({DType::f32, {3}}, "dy");
  EXPECT_THROW(differentiate(graph, y, dy, {x}), InternalError);
}

}  // namespace
}  // namespace phasor::test
