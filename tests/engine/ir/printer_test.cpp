#include "engine/ir/printer.h"

#include <gtest/gtest.h>

#include "engine/ir/builder.h"

namespace phasor::test {
namespace {

// Attributes show where they are not plain, names where there are any.
TEST(GraphPrinter, EveryKindOfAttribute) {
  Graph graph;
  Builder b(graph);
  const TensorSpec vector{DType::f32, {6}}, matrix{DType::f32, {6, 6}};
  const Value x = graph.add_input(matrix, "x"), bias = graph.add_input(vector, "bias");
  const Value ids = graph.add_input({DType::i32, {6}}, ""), position = graph.add_input({DType::i64, {5}}, "position");
  const Value step = graph.add_input({DType::f32, {4}}, "step");
  const Value sum = graph.add_input({DType::i64, {20}}, "sum");
  b.matmul(x, x, {.transpose_a = true});
  b.matmul(x, x, {.transpose_b = true});
  b.dropout(x, position, {.probability = 0.25f, .site = 3});
  b.layer_norm(x, bias, bias, {.eps = 0.5f});
  b.embedding(x, ids, {.padding = 2});
  b.embedding_slice(x, x, ids, position, {.whole = 11});
  b.reshape(x, {4, 9});
  const Value qkv = b.reshape(x, {2, 3, 6}), segments = b.reshape(ids, {2, 1, 3});
  b.attention(qkv, segments, position, {.heads = 2, .causal = true, .probability = 0.5f, .site = 1});
  b.adam(bias, bias, bias, bias, step, {}, {.beta1 = 0.9, .beta2 = 0.99, .eps = 0.5f, .weight_decay = 0.25f});
  graph.outputs = {b.clip_factor(sum, b.square_sum(sum, x), step, {.max_norm = 1.5f}).clip};
  EXPECT_EQ(to_string(graph),
            "inputs  %0.x: f32[6, 6], %1.bias: f32[6], %2: i32[6], %3.position: i64[5], %4.step: f32[4], %5.sum: "
            "i64[20]\n"
            "  %6: f32[6, 6] = matmul(%0.x, %0.x) transpose_a\n"
            "  %7: f32[6, 6] = matmul(%0.x, %0.x) transpose_b\n"
            "  %8: f32[6, 6] = dropout(%0.x, %3.position) probability=0.25 site=3\n"
            "  %9: f32[6, 6], %10: f32[6], %11: f32[6] = layer_norm(%0.x, %1.bias, %1.bias) eps=0.5\n"
            "  %12: f32[6, 6] = embedding(%0.x, %2) padding=2\n"
            "  %13: f32[6, 6] = embedding_slice(%0.x, %0.x, %2, %3.position) whole=11\n"
            "  %14: f32[4, 9] = reshape(%0.x)\n"
            "  %15: f32[2, 3, 6] = reshape(%0.x)\n"
            "  %16: i32[2, 1, 3] = reshape(%2)\n"
            "  %17: f32[2, 3, 2], %18: f32[2, 2, 3] = attention(%15, %16, %3.position) heads=2 causal probability=0.5 "
            "site=1\n"
            "  %19: f32[6], %20: f32[6], %21: f32[6] = adam(%1.bias, %1.bias, %1.bias, %1.bias, %4.step) beta1=0.9 "
            "beta2=0.99 eps=0.5 weight_decay=0.25 decoupled\n"
            "  %22: i64[20] = square_sum(%5.sum, %0.x)\n"
            "  %23: f32[1], %24: f32[1] = clip_factor(%5.sum, %22, %4.step) max_norm=1.5\n"
            "outputs %23\n");
}

TEST(GraphPrinter, ANodeNamesItsOperands) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input({DType::f32, {2, 3}}, "x"), gain = graph.add_input({DType::f32, {3}}, "");
  b.layer_norm(b.gelu(x, {GeluKind::tanh}), gain, gain, {.eps = 0.5f});
  b.pack({x, x}, {.operands = {{.elements = 6}, {.elements = 6}}});
  EXPECT_EQ(describe_node(graph, 0), "node 0, gelu(x %0.x: f32[2, 3]) tanh");
  EXPECT_EQ(describe_node(graph, 1), "node 1, layer_norm(x %2: f32[2, 3], gamma %1: f32[3], beta %1: f32[3]) eps=0.5");
  EXPECT_EQ(describe_node(graph, 2), "node 2, pack(b %0.x: f32[2, 3], b %0.x: f32[2, 3]) [k, n] [k, n]");
}

}  // namespace
}  // namespace phasor::test
