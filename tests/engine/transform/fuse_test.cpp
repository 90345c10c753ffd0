#include "engine/transform/fuse.h"

#include <gtest/gtest.h>

#include "engine/ir/printer.h"
#include "engine/ir/stage_builder.h"
#include "engine/ir/verifier.h"

namespace phasor::test {
namespace {

// y = layer_norm(dropout(x W' + b) + x), and what a test adds to it.
struct FusedExample {
  FusedExample() : b(stage) {
    x = b.activation_in({DType::f32, {2, 3, 4}});
    const Value weight = b.variable("weight", {4, 4}, {}, true), bias = b.variable("bias", {4}, {}, false);
    product = b.matmul(x, weight, {.transpose_b = true});
    biased = b.add(product, bias);
    dropped = b.dropout(biased, b.position(), {.probability = 0.5f, .site = 7});
    sum = b.add(dropped, x);
    const Value gamma = b.variable("gamma", {4}, {}, false), beta = b.variable("beta", {4}, {}, false);
    y = b.layer_norm(sum, gamma, beta, {.eps = 0.25f}).y;
    b.activation_out(y);
  }
  std::string fused() const {
    const Stage result = fuse(stage);
    verify(result.graph);
    return to_string(result.graph);
  }

  Stage stage;
  StageBuilder b;
  Value x, product, biased, dropped, sum, y;
};

TEST(Fuse, ProductsTakeTheirBiasAndNormsTheirSum) {
  EXPECT_EQ(FusedExample().fused(),
            "inputs  %0.x: f32[2, 3, 4], %1.weight: f32[4, 4], %2.bias: f32[4], %3.position: i64[5], %4.gamma: "
            "f32[4], %5.beta: f32[4]\n"
            "  %6: f32[2, 3, 4] = matmul(%0.x, %1.weight, %2.bias) transpose_b\n"
            "  %7: f32[2, 3, 4], %8: f32[2, 3, 4], %9: f32[6], %10: f32[6] = dropout_add_norm(%6, %0.x, %4.gamma, "
            "%5.beta, %3.position) probability=0.5 site=7 eps=0.25\n"
            "outputs %8\n");
}

TEST(Fuse, WhatIsReadElsewhereStays) {
  for (Value FusedExample::*member : {&FusedExample::product, &FusedExample::dropped, &FusedExample::sum}) {
    FusedExample example;
    example.b.result("seen", example.*member);
    const bool keeps_product = member == &FusedExample::product;
    EXPECT_EQ(example.fused().find("add(") == std::string::npos, false);
    EXPECT_EQ(example.fused().find("dropout_add_norm") != std::string::npos, keeps_product);
  }
}

TEST(Fuse, RolesFollow) {
  FusedExample example;
  example.b.result("biased", example.biased);
  const Stage fused = fuse(example.stage);
  EXPECT_EQ(fused.graph[fused.x].name, "x");
  EXPECT_EQ(fused.graph[fused.variables[2].value].name, "gamma");
  EXPECT_EQ(fused.graph.nodes[fused.graph[fused.y].producer].op, Op::dropout_add_norm);
  EXPECT_EQ(fused.graph.nodes[fused.graph[fused.results[0].value].producer].op, Op::matmul);
  EXPECT_EQ(fused.graph.outputs, (std::vector{fused.y, fused.results[0].value}));
}

TEST(Fuse, ASumThatIsRepeatedIsNotAResidual) {
  Stage stage;
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {2, 4}});
  const Value dropped = b.dropout(x, b.position(), {.probability = 0.5f});
  const Value sum = b.add(dropped, b.variable("shift", {4}, {}, false));
  const Value gamma = b.variable("gamma", {4}, {}, false), beta = b.variable("beta", {4}, {}, false);
  b.activation_out(b.layer_norm(sum, gamma, beta, {}).y);
  const Graph graph = fuse(stage).graph;
  ASSERT_EQ(graph.nodes.size(), stage.graph.nodes.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) EXPECT_EQ(graph.nodes[n].op, stage.graph.nodes[n].op);
}

TEST(Fuse, MaximaTakeTheirRelu) {
  Stage stage;
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {2, 3, 8, 8}});
  const Value first = b.relu(b.max_pool2d(x, {.window = 2, .stride = 2}).y), pooled = b.max_pool2d(first).y;
  b.activation_out(b.relu(pooled));
  b.result("seen", pooled);
  EXPECT_EQ(to_string(fuse(stage).graph),
            "inputs  %0.x: f32[2, 3, 8, 8]\n"
            "  %1: f32[2, 3, 4, 4], %2: u8[2, 3, 4, 4] = max_pool2d(%0.x) window=2 stride=2 relu\n"
            "  %3: f32[2, 3, 2, 2], %4: u8[2, 3, 2, 2] = max_pool2d(%1) window=2 stride=2\n"
            "  %5: f32[2, 3, 2, 2] = relu(%3)\n"
            "outputs %5, %3\n");
}

}  // namespace
}  // namespace phasor::test
