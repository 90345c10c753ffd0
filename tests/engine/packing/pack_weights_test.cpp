#include "engine/lower/units/pack_weights.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/ir/stage_builder.h"
#include "engine/runtime/packing.h"

namespace phasor::test {
namespace {

constexpr std::int64_t kLarge = 256, kSmall = 8;

// Of a weight [kLarge, width]: y = x W, with x [tokens, kLarge].
Stages one_product(std::int64_t width, std::int64_t tokens) {
  Stage first{.name = "first"}, last{.name = "last"};
  StageBuilder a(first);
  a.activation_out(a.matmul(a.batch("features", {DType::f32, {tokens, 3}}), a.variable("in", {3, kLarge}, {}, true)));
  StageBuilder b(last);
  const Value x = b.activation_in({DType::f32, {tokens, kLarge}});
  const Value y = b.matmul(x, b.variable("weight", {kLarge, width}, {}, true));
  b.result("y", y);
  const Value labels = b.batch("labels", {DType::i32, {tokens}}), weights = b.batch("weights", {DType::f32, {tokens}});
  b.loss(b.cross_entropy(y, labels, weights));
  return {first, last};
}

UnitGraph gradient_graph(std::int64_t width, std::int64_t tokens = 32) {
  return training_graphs(stage_units(one_product(width, tokens))[1], Recompute::layer).gradient;
}

int count(const Graph& graph, Op op) {
  return static_cast<int>(std::ranges::count_if(graph.nodes, [op](const Node& node) { return node.op == op; }));
}

// A product of many rows and one of few read the same weight.
UnitGraph forward_of_two(std::int64_t many, std::int64_t few) {
  Stages stages = one_product(kLarge, many);
  StageBuilder b(stages[1]);
  const Value weight = stages[1].variables[0].value;
  b.result("z", b.matmul(b.batch("others", {DType::f32, {few, kLarge}}), weight));
  return inference_graph(stage_units(stages)[1]);
}

bool keeps_bits(std::int64_t rows) {
  const UnitGraph graph = gradient_graph(kLarge, rows);
  return std::ranges::all_of(graph.graph.nodes, [&](const Node& node) {
    return node.op != Op::matmul || packing_keeps_bits(graph.graph, node);
  });
}

bool machine_packs() { return packed_elements({DType::f32, {kLarge, kLarge}}, false) > 0; }

TEST(PackWeights, OncePerWayOfReadingThem) {
  if (!machine_packs()) GTEST_SKIP() << "no backend of this build gains by packing";
  const UnitGraph packed = pack_weights(gradient_graph(kLarge));
  // Forward x W and backward dy W' read two layouts of one weight; dW has no weight among its operands.
  ASSERT_EQ(count(packed.packing, Op::pack), 1);
  EXPECT_EQ(packed.packing.inputs.size(), 1);
  EXPECT_EQ(packed.packing.outputs.size(), 2);
  EXPECT_EQ(packed.packed_variables, std::vector{0});
  EXPECT_EQ(packed.weights(), std::vector{0});
  int packed_inputs = 0;
  for (const Port& port : packed.inputs) {
    EXPECT_NE(port.role, Role::weight);
    packed_inputs += port.role == Role::packed ? 1 : 0;
  }
  EXPECT_EQ(packed_inputs, 2);
  EXPECT_EQ(packed.inputs.size(), packed.graph.inputs.size());
  EXPECT_EQ(packed.outputs.size(), packed.graph.outputs.size());
}

// Libraries lay them out differently.
TEST(PackWeights, TellWhoseProductsTheyAreFor) {
  UnitGraph graph = gradient_graph(kLarge);
  for (Node& node : graph.graph.nodes)
    if (node.op == Op::matmul) std::get<MatmulAttributes>(node.attributes).products = Products::onednn;
  const UnitGraph packed = pack_weights(graph);
  if (packed.packing.nodes.empty()) GTEST_SKIP() << "oneDNN is not there, or gains nothing by packing";
  for (const PackedOperand& operand : std::get<PackAttributes>(packed.packing.nodes[0].attributes).operands)
    EXPECT_EQ(operand.products, Products::onednn);
}

TEST(PackWeights, LeavesSmallOnesAlone) {
  const UnitGraph graph = gradient_graph(kSmall), packed = pack_weights(graph);
  EXPECT_TRUE(packed.packing.nodes.empty());
  EXPECT_EQ(packed.graph.nodes.size(), graph.graph.nodes.size());
  EXPECT_EQ(packed.weights(), std::vector{0});
}

TEST(PackWeights, LeavesThoseOfFewRowsAlone) {
  EXPECT_TRUE(pack_weights(gradient_graph(kLarge, 15)).packing.nodes.empty());
  EXPECT_EQ(pack_weights(gradient_graph(kLarge, 16)).packing.nodes.empty(), !machine_packs());
}

TEST(PackWeights, WithoutAllThoseThatBitsDependOn) {
  if (!machine_packs()) GTEST_SKIP() << "no backend of this build gains by packing";
  const UnitGraph graph = gradient_graph(kLarge), left = pack_weights(graph, false);
  EXPECT_EQ(left.packing.nodes.empty(), keeps_bits(32));
  EXPECT_EQ(left.weights(), std::vector{0});
}

TEST(PackWeights, WithoutAllThoseThatFewRowsReadToo) {
  if (!machine_packs() || !keeps_bits(32)) GTEST_SKIP() << "nobody packs whose products have the same bits without";
  EXPECT_TRUE(pack_weights(forward_of_two(32, 16), false).packing.nodes.empty());
  EXPECT_FALSE(pack_weights(forward_of_two(32, 15), false).packing.nodes.empty());
}

}  // namespace
}  // namespace phasor::test
