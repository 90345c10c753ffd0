#include "engine/plan/cost.h"

#include <gtest/gtest.h>

#include "engine/ir/builder.h"

namespace phasor::test {
namespace {

TEST(Cost, OfAProduct) {
  for (const MatmulAttributes& transposed :
       {MatmulAttributes{}, MatmulAttributes{.transpose_a = true}, MatmulAttributes{.transpose_b = true}}) {
    Graph graph;
    const bool ta = transposed.transpose_a, tb = transposed.transpose_b;
    const Value a = graph.add_input({DType::f32, ta ? Shape{7, 3} : Shape{3, 7}}, "a");
    const Value b = graph.add_input({DType::f32, tb ? Shape{5, 7} : Shape{7, 5}}, "b");
    Builder(graph).matmul(a, b, transposed);
    EXPECT_EQ(cost_of(graph).flops, 2 * 3 * 5 * 7);
    EXPECT_EQ(cost_of(graph).bytes, 4 * (3 * 7 + 7 * 5 + 3 * 5));
  }
}

// Two products in the forward op, q k' and p v; five in its gradient.
TEST(Cost, OfAttention) {
  constexpr std::int64_t kBatch = 2, kSequence = 8, kHidden = 6;
  Graph graph;
  Builder b(graph);
  const Value qkv = graph.add_input({DType::f32, {kBatch, kSequence, 3 * kHidden}}, "qkv");
  const Value segments = graph.add_input({DType::i32, {kBatch, 1, 3}}, "segments");
  const Value position = graph.add_input({DType::i64, {5}}, "position");
  const auto attended = b.attention(qkv, segments, position, {.heads = 2});
  constexpr double kProduct = 2 * kBatch * kSequence * kSequence * kHidden;
  EXPECT_EQ(cost_of(graph).flops, 2 * kProduct);
  b.attention_gradient(qkv, segments, position, attended, attended.out, {.heads = 2});
  EXPECT_EQ(cost_of(graph).flops, (2 + 5) * kProduct);
}

// Blocks of queries have the keys up to their last query: of 150 tokens those of 96 and 150 keys.
TEST(Cost, OfCausalAttentionIsWhatItComputes) {
  constexpr std::int64_t kBatch = 2, kSequence = 150, kHidden = 6;
  Graph graph;
  Builder b(graph);
  const Value qkv = graph.add_input({DType::f32, {kBatch, kSequence, 3 * kHidden}}, "qkv");
  const Value segments = graph.add_input({DType::i32, {kBatch, 1, 3}}, "segments");
  const Value position = graph.add_input({DType::i64, {5}}, "position");
  const AttentionAttributes attributes{.heads = 2, .causal = true};
  const auto attended = b.attention(qkv, segments, position, attributes);
  constexpr double kProduct = 2 * kBatch * (96 * 96 + 54 * 150) * kHidden;
  EXPECT_EQ(cost_of(graph).flops, 2 * kProduct);
  b.attention_gradient(qkv, segments, position, attended, attended.out, attributes);
  EXPECT_EQ(cost_of(graph).flops, (2 + 5) * kProduct);
}

TEST(Cost, ElementwiseOpsMoveBytesAlone) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input({DType::f32, {10, 10}}, "x");
  b.gelu(b.gelu(x));
  EXPECT_EQ(cost_of(graph).flops, 0);
  EXPECT_EQ(cost_of(graph).bytes, 4 * 400);
}

// The slices of a table together cost what the table does: each touches its part of the rows.
TEST(Cost, OfSlicesIsThatOfTheTable) {
  constexpr std::int64_t kEntries = 1000, kSlices = 4, kIds = 10, kColumns = 16, kOfSlice = kEntries / kSlices;
  Graph whole, slice;
  for (Graph* graph : {&whole, &slice}) {
    Builder b(*graph);
    const bool sliced = graph == &slice;
    const std::int64_t entries = sliced ? kOfSlice : kEntries;
    const Value x = graph->add_input({DType::bf16, {kIds, kColumns}}, "x");
    const Value table = graph->add_input({DType::bf16, {entries, kColumns}}, "table");
    const Value sum = graph->add_input({DType::f32, {entries, kColumns}}, "sum");
    const Value ids = graph->add_input({DType::i32, {kIds}}, "ids");
    const Value position = sliced ? graph->add_input({DType::i64, {5}}, "position") : Value{};
    const EmbeddingAttributes attributes{.entries = entries, .whole = sliced ? kEntries : 0};
    if (sliced) {
      b.embedding_slice(x, table, ids, position, attributes);
    } else {
      b.embedding(table, ids, attributes);
    }
    b.embedding_gradient_add(sum, ids, x, attributes, position);
    b.embedding_gradient(ids, x, attributes, position);
  }
  for (std::size_t node = 0; node < whole.nodes.size(); ++node) {
    const double ids = (kSlices - 1) * kIds * 4;  // which every slice looks through
    EXPECT_EQ(kSlices * cost_of(slice, slice.nodes[node]).bytes, cost_of(whole, whole.nodes[node]).bytes + ids);
  }
}

// Logits are made for the sums, and again for a gradient of two products more.
TEST(Cost, OfAVocabularyIsThatOfItsProducts) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input({DType::f32, {2, 5, 16}}, "x");
  const Value weight = graph.add_input({DType::f32, {300, 16}}, "weight");
  const Value labels = graph.add_input({DType::i32, {2, 5}}, "labels");
  const Value sums = b.vocabulary_sums(x, weight, labels, graph.add_input({DType::f32, {2, 5}}, "label_weights"));
  b.vocabulary_gradient(x, weight, labels, sums);
  b.vocabulary_gradient_add(weight, x, weight, labels, sums);
  constexpr double kLogits = 2.0 * 10 * 16 * 300;
  EXPECT_EQ(cost_of(graph, graph.nodes[0]).flops, kLogits);
  EXPECT_EQ(cost_of(graph, graph.nodes[1]).flops, 3 * kLogits);
  EXPECT_EQ(cost_of(graph, graph.nodes[2]).flops, 3 * kLogits);
}

TEST(Cost, Adds) {
  Cost cost{.flops = 1, .bytes = 2};
  cost += {.flops = 10, .bytes = 20};
  EXPECT_EQ(cost.flops, 11);
  EXPECT_EQ(cost.bytes, 22);
}

}  // namespace
}  // namespace phasor::test
