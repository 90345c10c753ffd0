#include "engine/transform/lower_precision.h"

#include <gtest/gtest.h>

#include "engine/ir/printer.h"
#include "engine/ir/stage_builder.h"
#include "engine/ir/verifier.h"
#include "engine/transform/autodiff.h"

namespace phasor::test {
namespace {

std::string lowered_text(const Stage& stage) {
  const Stage lowered = lower_precision(stage);
  verify(lowered.graph);
  return to_string(lowered.graph);
}

TEST(LowerPrecision, WeightsAndActivationsNotBiasesAndGains) {
  Stage stage;
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {2, 4}});
  const Value weight = b.variable("weight", {4, 4}, {}, true), bias = b.variable("bias", {4}, {}, false);
  const Value gamma = b.variable("gamma", {4}, {}, false), beta = b.variable("beta", {4}, {}, false);
  b.activation_out(b.layer_norm(b.add(b.gelu(b.matmul(x, weight, {}, bias)), x), gamma, beta, {}).y);
  EXPECT_EQ(lowered_text(stage),
            "inputs  %0.x: bf16[2, 4], %1.weight: bf16[4, 4], %2.bias: f32[4], %3.gamma: f32[4], %4.beta: f32[4]\n"
            "  %5: bf16[2, 4] = matmul(%0.x, %1.weight, %2.bias)\n"
            "  %6: bf16[2, 4] = gelu(%5)\n"
            "  %7: bf16[2, 4] = add(%6, %0.x)\n"
            "  %8: bf16[2, 4], %9: f32[2], %10: f32[2] = layer_norm(%7, %3.gamma, %4.beta) eps=0\n"
            "outputs %8\n");
}

TEST(LowerPrecision, KernelsOfConvolutionsNotTheirBiases) {
  Stage stage;
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {2, 1, 6, 6}});
  const Value weight = b.variable("weight", {4, 1, 3, 3}, {}, true), bias = b.variable("bias", {4}, {}, false);
  b.activation_out(b.relu(b.max_pool2d(b.conv2d(x, weight, bias)).y));
  EXPECT_EQ(lowered_text(stage),
            "inputs  %0.x: bf16[2, 1, 6, 6], %1.weight: bf16[4, 1, 3, 3], %2.bias: f32[4]\n"
            "  %3: bf16[2, 4, 4, 4] = conv2d(%0.x, %1.weight, %2.bias) stride=1 padding=0\n"
            "  %4: bf16[2, 4, 2, 2], %5: u8[2, 4, 2, 2] = max_pool2d(%3) window=2 stride=2\n"
            "  %6: bf16[2, 4, 2, 2] = relu(%4)\n"
            "outputs %6\n");
}

// A vocabulary's table is multiplied, and looked up elsewhere; x is rounded by the kernel.
TEST(LowerPrecision, VocabulariesNotWhatTheyAreMultipliedBy) {
  Stage stage;
  StageBuilder b(stage);
  const Value ids = b.batch("ids", {DType::i32, {3}}), weights = b.batch("weights", {DType::f32, {3}});
  const Value table = b.variable("table", {9, 4}, {}, true), weight = b.variable("weight", {4, 4}, {}, true);
  const Value x = b.matmul(b.embedding(table, ids), weight);
  b.loss(b.vocabulary_loss(b.vocabulary_sums(x, table, ids, weights), weights));
  EXPECT_EQ(lowered_text(stage),
            "inputs  %0.ids: i32[3], %1.weights: f32[3], %2.table: bf16[9, 4], %3.weight: bf16[4, 4]\n"
            "  %4: bf16[3, 4] = embedding(%2.table, %0.ids)\n"
            "  %5: f32[3, 4] = matmul(%4, %3.weight)\n"
            "  %6: f32[3, 3] = vocabulary_sums(%5, %2.table, %0.ids, %1.weights)\n"
            "  %7: f32[1] = vocabulary_loss(%6, %1.weights)\n"
            "outputs %7\n");
}

// What leads from the last product to the loss keeps the precision of the product's sums.
TEST(LowerPrecision, LogitsAndLossStayInFull) {
  Stage stage;
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {3, 4}});
  const Value logits = b.transpose(b.matmul(x, b.variable("weight", {4, 2}, {}, true)));
  const Value labels = b.batch("labels", {DType::i32, {2}}), weights = b.batch("weights", {DType::f32, {2}});
  b.loss(b.cross_entropy(logits, labels, weights));
  EXPECT_EQ(lowered_text(stage),
            "inputs  %0.x: bf16[3, 4], %1.weight: bf16[4, 2], %2.labels: i32[2], %3.weights: f32[2]\n"
            "  %4: f32[3, 2] = matmul(%0.x, %1.weight)\n"
            "  %5: f32[2, 3] = transpose(%4)\n"
            "  %6: f32[1] = cross_entropy(%5, %2.labels, %3.weights)\n"
            "outputs %6\n");
}

// A value with consumers of both kinds is rounded for one of them alone.
TEST(LowerPrecision, ConvertsOnceWhereATypeChanges) {
  Stage stage;
  StageBuilder b(stage);
  const Value shift = b.variable("shift", {4}, {}, false);
  const Value x = b.activation_in({DType::f32, {3, 4}});
  b.activation_out(b.add(b.add(x, shift), shift));
  EXPECT_EQ(lowered_text(stage),
            "inputs  %0.shift: f32[4], %1.x: bf16[3, 4]\n"
            "  %2: bf16[4] = convert(%0.shift)\n"
            "  %3: bf16[3, 4] = add(%1.x, %2)\n"
            "  %4: bf16[3, 4] = add(%3, %2)\n"
            "outputs %4\n");
}

TEST(LowerPrecision, GradientsOfWeightsAreInFull) {
  Stage stage;
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {3, 4}});
  b.activation_out(b.matmul(x, b.variable("weight", {4, 2}, {}, true)));
  Stage lowered = lower_precision(stage);
  Graph& graph = lowered.graph;
  const Seed seed{lowered.y, graph.add_input(graph.spec(lowered.y), "dy")};
  const std::vector<Value> by{lowered.variables[0].value, lowered.x};
  const std::vector<Value> gradients = autodiff(graph, std::span(&seed, 1), by);
  verify(graph);
  EXPECT_EQ(graph.spec(gradients[0]), (TensorSpec{DType::f32, {4, 2}}));
  EXPECT_EQ(graph.spec(gradients[1]), (TensorSpec{DType::bf16, {3, 4}}));
}

// Products take dy rounded; a bias has no product, and sums dy as it is.
TEST(LowerPrecision, GradientsOfBiasesAreOfWhatWasNotRounded) {
  Stage stage;
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {3, 4}});
  const Value weight = b.variable("weight", {4, 2}, {}, true), bias = b.variable("bias", {2}, {}, false);
  b.result("logits", b.matmul(x, weight, {}, bias));
  Stage lowered = lower_precision(stage);
  Graph& graph = lowered.graph;
  const Value y = lowered.results[0].value;
  const Seed seed{y, graph.add_input(graph.spec(y), "dy")};
  ASSERT_EQ(graph.spec(seed.dy).dtype, DType::f32);
  const std::vector<Value> by{lowered.variables[1].value};
  const Value gradient = autodiff(graph, std::span(&seed, 1), by)[0];
  const Node& sum = graph.nodes[graph[gradient].producer];
  EXPECT_EQ(sum.op, Op::reduce_sum);
  EXPECT_EQ(sum.inputs, std::vector<Value>{seed.dy});
}

}  // namespace
}  // namespace phasor::test
