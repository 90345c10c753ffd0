#include "engine/program/simulate/node_sample.h"

#include <functional>
#include <gtest/gtest.h>

#include "engine/ir/builder.h"
#include "engine/ir/verifier.h"
#include "engine/plan/cost.h"

namespace phasor::test {
namespace {

// The sample of the last node that `write` appends.
NodeSample sample_from(const std::function<void(Builder&, Graph&)>& write) {
  Graph graph;
  Builder b(graph);
  write(b, graph);
  return sample_of(graph, graph.nodes.back(), 2);
}

constexpr double kMostWork = 2 * 6.25e8;

TEST(NodeSample, ASmallNodeStandsForItself) {
  const NodeSample sample = sample_from([](Builder& b, Graph& g) {
    b.matmul(g.add_input({DType::bf16, {2, 6, 8}}, "a"), g.add_input({DType::bf16, {8, 4}}, "b"),
             {.result = DType::bf16});
  });
  EXPECT_EQ(name_of(sample), "matmul bf16[12, 8], bf16[8, 4] -> bf16[12, 4]");
}

TEST(NodeSample, ProductsOfAnySizeAreCutToTheSameWork) {
  for (const MatmulAttributes& attributes :
       {MatmulAttributes{}, MatmulAttributes{.transpose_a = true}, MatmulAttributes{.transpose_b = true},
        MatmulAttributes{.packed_columns = 49152}}) {
    constexpr std::int64_t kRows = 1536, kInner = 12288, kColumns = 49152;
    const NodeSample sample = sample_from([&](Builder& b, Graph& g) {
      const Value left =
          g.add_input({DType::f32, attributes.transpose_a ? Shape{kInner, kRows} : Shape{kRows, kInner}}, "a");
      const Shape shape = attributes.packed_columns > 0 ? Shape{kInner * kColumns}
                          : attributes.transpose_b      ? Shape{kColumns, kInner}
                                                        : Shape{kInner, kColumns};
      const Value right = g.add_input({DType::f32, shape}, "b");
      b.matmul(left, right, attributes, g.add_input({DType::f32, {kColumns}}, "bias"));
    });
    const Graph graph = graph_of(sample);
    verify(graph);
    EXPECT_LE(cost_of(graph).flops, kMostWork);
    EXPECT_GT(cost_of(graph).flops, kMostWork / 2);
  }
}

// A library may read behind its panels: the room is there in samples, too.
TEST(NodeSample, WhatLiesBehindPackedWeightsStays) {
  constexpr std::int64_t kBehind = 16, kInner = 3072, kColumns = 12288;
  const NodeSample sample = sample_from([&](Builder& b, Graph& g) {
    b.matmul(g.add_input({DType::f32, {1536, kInner}}, "a"),
             g.add_input({DType::f32, {kInner * kColumns + kBehind}}, "b"), {.packed_columns = kColumns});
  });
  const std::int64_t inner = sample.inputs[0].shape.columns();
  const std::int64_t columns = std::get<MatmulAttributes>(sample.attributes).packed_columns;
  EXPECT_LT(columns, kColumns);
  EXPECT_EQ(sample.inputs[1].shape, Shape{inner * columns + kBehind});
}

// Those of a whole model at once: what is packed small may be none that anybody packs.
TEST(NodeSample, FewerOfManyWeightsArePacked) {
  constexpr std::int64_t kMany = 200, kBehind = 16;
  const NodeSample sample = sample_from([&](Builder& b, Graph& g) {
    std::vector<Value> weights;
    PackAttributes attributes;
    for (std::int64_t i = 0; i < kMany; ++i) {
      const Shape shape = i % 2 == 0 ? Shape{768, 768} : Shape{192, 3072};
      weights.push_back(g.add_input({DType::f32, shape}, "w"));
      attributes.operands.push_back({.elements = shape.elements() + kBehind});
    }
    b.pack(weights, attributes);
  });
  verify(graph_of(sample));
  EXPECT_LE(bytes_of(sample), kMostSampleBytes);
  EXPECT_GE(bytes_of(sample), kMostSampleBytes / 4);
  const auto& operands = std::get<PackAttributes>(sample.attributes).operands;
  ASSERT_EQ(operands.size(), sample.inputs.size());
  EXPECT_LT(std::ssize(operands), kMany);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Shape& weight = sample.inputs[i].shape;
    EXPECT_GT(std::min(weight.rows(), weight.columns()), 128);
    EXPECT_EQ(operands[i].elements, weight.elements() + kBehind);
  }
}

TEST(NodeSample, CutsRowsOfWhatIsDoneRowByRow) {
  const NodeSample sample = sample_from([](Builder& b, Graph& g) {
    const TensorSpec x{DType::f32, {4, 2048, 49152}};
    b.gelu_gradient(g.add_input(x, "x"), g.add_input(x, "dy"), {GeluKind::tanh});
  });
  EXPECT_EQ(name_of(sample), "gelu_gradient f32[1, 42, 49152], f32[1, 42, 49152] -> f32[1, 42, 49152] tanh");
}

TEST(NodeSample, StatisticsFollowTheRowsAndParametersTheColumns) {
  constexpr std::int64_t kSize = 4096;  // rows as many as columns, which must not be mistaken for each other
  const NodeSample sample = sample_from([](Builder& b, Graph& g) {
    const auto vector = [&] { return g.add_input({DType::f32, {kSize}}, "v"); };
    const Value x = g.add_input({DType::f32, {kSize, kSize}}, "x");
    b.layer_norm_gradient(x, vector(), vector(), vector(), x);
  });
  verify(graph_of(sample));
  EXPECT_EQ(sample.inputs[0].shape, (Shape{512, kSize}));
  EXPECT_EQ(sample.inputs[1].shape, (Shape{kSize}));
  EXPECT_EQ(sample.inputs[2].shape, (Shape{512}));
}

TEST(NodeSample, ConvolutionsHaveFewerImagesThenFewerChannelsThenFewerPixels) {
  struct Case {
    Shape x, weight;
    ConvolutionAttributes attributes;
    const char* name;
  };
  for (const auto& [x_shape, weight_shape, attributes, name] :
       {Case{{40, 1, 28, 28},
             {10, 1, 5, 5},
             {},
             "conv2d f32[40, 1, 28, 28], f32[10, 1, 5, 5], f32[10] -> "
             "f32[40, 10, 24, 24] stride=1 padding=0"},
        Case{{4096, 64, 32, 32},
             {64, 64, 3, 3},
             {.stride = 1, .padding = 1, .gradient_of = {}},
             "conv2d f32[16, 64, 32, 32], f32[64, 64, 3, 3], f32[64] -> f32[16, 64, 32, 32] stride=1 padding=1"},
        Case{{1, 512, 512, 512}, {512, 512, 3, 3}, {}, ""}, Case{{1, 1, 1 << 14, 1 << 14}, {1, 1, 3, 3}, {}, ""}}) {
    Graph graph;
    Builder b(graph);
    const auto add = [&](const Shape& shape) { return graph.add_input({DType::f32, shape}, ""); };
    const Value x = add(x_shape), weight = add(weight_shape);
    const Value dy = b.conv2d(x, weight, add({weight_shape[0]}), attributes);
    b.conv2d_input_gradient(weight, dy, x_shape, attributes);
    b.conv2d_weight_gradient(x, dy, weight_shape, attributes);
    const auto pooled = b.max_pool2d(x);
    b.max_pool2d_gradient(pooled.indices, pooled.y, x_shape, {});
    if (*name) {
      EXPECT_EQ(name_of(sample_of(graph, graph.nodes[0], 2)), name);
    }
    for (const Node& node : graph.nodes) {
      const NodeSample sample = sample_of(graph, node, 2);
      const Graph alone = graph_of(sample);
      verify(alone);
      EXPECT_LE(cost_of(alone).flops, kMostWork);
      EXPECT_LE(bytes_of(sample), kMostSampleBytes);
    }
  }
}

TEST(NodeSample, AttentionKeepsItsSequenceAndHeadSize) {
  const NodeSample sample = sample_from([](Builder& b, Graph& g) {
    const Value qkv = g.add_input({DType::bf16, {4, 384, 3 * 96 * 128}}, "qkv");
    const Value segments = g.add_input({DType::i32, {4, 24, 3}}, "segments"), p = g.add_input({DType::i64, {5}}, "p");
    const AttentionAttributes attributes{.heads = 96, .probability = 0.1f, .site = 7};
    const auto attended = b.attention(qkv, segments, p, attributes);
    b.attention_gradient(qkv, segments, p, attended, attended.out, attributes);
  });
  verify(graph_of(sample));
  const auto heads = std::get<AttentionAttributes>(sample.attributes).heads;
  EXPECT_EQ(sample.inputs[0].shape, (Shape{1, 384, 3 * heads * 128}));
  EXPECT_LT(heads, 96);
  EXPECT_EQ(sample.inputs[1].shape, (Shape{1, 1, 3}));
}

TEST(NodeSample, RowsAreTimedWithoutTheirSegments) {
  const NodeSample sample = sample_from([](Builder& b, Graph& g) {
    b.dropout(g.add_input({DType::f32, {2, 3, 4}}, "x"), g.add_input({DType::i64, {5}}, "position"),
              {.probability = 0.5f}, g.add_input({DType::i32, {2, 2, 3}}, "segments"));
  });
  verify(graph_of(sample));
  EXPECT_EQ(name_of(sample), "dropout f32[2, 3, 4], i64[5] -> f32[2, 3, 4] drops");
}

TEST(NodeSample, NamesTellWhatCostsAndNothingElse) {
  const auto dropout = [](float probability, std::int64_t site) {
    return name_of(sample_from([&](Builder& b, Graph& g) {
      b.dropout(g.add_input({DType::f32, {2, 3}}, "x"), g.add_input({DType::i64, {5}}, "position"),
                {.probability = probability, .site = site});
    }));
  };
  EXPECT_EQ(dropout(0.1f, 1), dropout(0.1f, 2));
  EXPECT_NE(dropout(0.1f, 1), dropout(0, 1));
}

TEST(NodeSample, LookupsCountTheRowsThatTheyTouch) {
  Graph graph;
  Builder b(graph);
  const Value table = graph.add_input({DType::f32, {1000, 16}}, "table");
  const Value ids = graph.add_input({DType::i32, {10}}, "ids");
  const Value y = b.embedding(table, ids);
  b.embedding_gradient_add(table, ids, y, {.entries = 1000});
  EXPECT_EQ(work_of(graph, graph.nodes[0]), 10 * 4 + 2 * 10 * 16 * 4);
  EXPECT_EQ(work_of(graph, graph.nodes[1]), 10 * 4 + 3 * 10 * 16 * 4);
  verify(graph_of(sample_of(graph, graph.nodes[1], 2)));
}

// x, slice, ids, position -> x: operands stand elsewhere than in a lookup of a whole table.
struct SlicedTable {
  static constexpr std::int64_t kEntries = 8000, kWhole = 4 * kEntries - 100, kIds = 100, kColumns = 1024;
  Graph graph;

  SlicedTable() {
    Builder b(graph);
    const Value x = graph.add_input({DType::f32, {1, kIds, kColumns}}, "x");
    const Value table = graph.add_input({DType::f32, {kEntries, kColumns}}, "table");
    const Value ids = graph.add_input({DType::i32, {1, kIds}}, "ids");
    const Value position = graph.add_input({DType::i64, {5}}, "position");
    const Value y = b.embedding_slice(x, table, ids, position, {.whole = kWhole});
    b.embedding_gradient(ids, y, {.entries = kEntries, .whole = kWhole}, position);
    b.embedding_gradient_add(table, ids, y, {.entries = kEntries, .whole = kWhole}, position);
  }
};

TEST(NodeSample, OfASliceIsTheSamePartOfASmallerTable) {
  const SlicedTable sliced;
  for (const Node& node : sliced.graph.nodes) {
    const NodeSample sample = sample_of(sliced.graph, node, 2);
    verify(graph_of(sample));
    const auto& attributes = std::get<EmbeddingAttributes>(sample.attributes);
    EXPECT_EQ(attributes.entries, 2048);
    EXPECT_EQ(attributes.whole, 4 * 2048 - 26);  // 100 entries less of 8000 are 25.6 of 2048
    EXPECT_EQ(sample.integers, attributes.whole);
    EXPECT_TRUE(sample.from_far);
    EXPECT_LE(bytes_of(sample), kMostSampleBytes);
  }
  EXPECT_EQ(name_of(sample_of(sliced.graph, sliced.graph.nodes[0], 2)),
            "embedding_slice f32[100, 1024], f32[2048, 1024], i32[100], i64[5] -> f32[100, 1024] of 8166");
}

// sums and gradients of a vocabulary, whole or in slices.
Graph vocabulary(std::int64_t tokens, std::int64_t width, std::int64_t entries, std::int64_t whole) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input({DType::bf16, {1, tokens, width}}, "x");
  const Value weight = graph.add_input({DType::bf16, {entries, width}}, "weight");
  const Value labels = graph.add_input({DType::i32, {1, tokens}}, "labels");
  const Value label_weights = graph.add_input({DType::f32, {1, tokens}}, "label_weights");
  const Value before = graph.add_input({DType::f32, {tokens, 3}}, "before");
  const Value sum = graph.add_input({DType::f32, {entries, width}}, "sum");
  const VocabularyAttributes attributes{.whole = whole};
  Builder::VocabularySlice slice, slice_of_dx;
  if (whole > 0) {
    slice = slice_of_dx = {graph.add_input({DType::i64, {5}}, "position"), before};
    slice_of_dx.before = x;
  }
  const Value sums = b.vocabulary_sums(x, weight, labels, label_weights, attributes, slice);
  b.vocabulary_gradient(x, weight, labels, sums, attributes, slice_of_dx);
  b.vocabulary_gradient_add(sum, x, weight, labels, sums, attributes, slice_of_dx);
  return graph;
}

TEST(NodeSample, VocabulariesAreCutWhateverTheirSizes) {
  constexpr std::int64_t kSizes[][3] = {{4096, 768, 50257}, {1 << 20, 64, 300},     {7, 12288, 3000000},
                                        {300, 10007, 1000}, {2048, 3 << 20, 50257}, {100003, 1, 1}};
  for (const auto [tokens, width, entries] : kSizes)
    for (const std::int64_t slices : {0, 3}) {
      const std::int64_t of_slice = (entries / 3 / kVocabularyBlock + 1) * kVocabularyBlock;
      const Graph graph = vocabulary(tokens, width, slices > 0 ? of_slice : entries, slices > 0 ? entries : 0);
      for (const Node& node : graph.nodes) {
        const NodeSample sample = sample_of(graph, node, 2);
        verify(graph_of(sample));
        EXPECT_LE(cost_of(graph_of(sample)).flops, kMostWork);
        EXPECT_LE(bytes_of(sample), kMostSampleBytes);
        EXPECT_GT(sample.integers, 0);
      }
    }
}

TEST(NodeSample, OfAVocabularyHasWholeBlocks) {
  const Graph whole = vocabulary(4096, 768, 50257, 0), slice = vocabulary(4096, 768, 12800, 50257);
  EXPECT_EQ(name_of(sample_of(whole, whole.nodes[0], 2)),
            "vocabulary_sums bf16[1024, 768], bf16[512, 768], i32[1024], f32[1024] -> f32[1024, 3]");
  const NodeSample sample = sample_of(slice, slice.nodes[1], 2);
  EXPECT_EQ(name_of(sample),
            "vocabulary_gradient bf16[512, 768], bf16[512, 768], i32[512], f32[512, 3], i64[5], bf16[512, 768] -> "
            "f32[512, 768], bf16[512, 768] of 2010");
  EXPECT_EQ(sample.integers, 2010);
}

TEST(NodeSample, LooksForRowsBehindWhatIsFixed) {
  const NodeSample sample = sample_from([](Builder& b, Graph& g) {
    b.square_sum(g.add_input({DType::i64, {20}}, "sum"), g.add_input({DType::f32, {1 << 30}}, "x"));
  });
  EXPECT_EQ(name_of(sample), "square_sum i64[20], f32[4194304] -> i64[20]");
}

// Whose sizes have few factors of two.
TEST(NodeSample, ProductsAreCutWhateverTheirSizes) {
  for (const Shape& b_shape : {Shape{4000, 16000}, Shape{20000, 80000}, Shape{10007, 10009}, Shape{1 << 28, 1}}) {
    const NodeSample sample = sample_from([&](Builder& b, Graph& g) {
      b.matmul(g.add_input({DType::f32, {768, b_shape[0]}}, "a"), g.add_input({DType::f32, b_shape}, "b"));
    });
    verify(graph_of(sample));
    EXPECT_LE(cost_of(graph_of(sample)).flops, kMostWork);
    EXPECT_LE(bytes_of(sample), kMostSampleBytes);
  }
}

TEST(NodeSample, AttentionIsCutWhateverItsSizes) {
  constexpr std::int64_t kSizes[][3] = {{384, 125, 32}, {384, 1, 60000}, {100003, 12, 64}, {1 << 20, 7, 1 << 20}};
  for (const auto& sizes : kSizes) {
    const NodeSample sample = sample_from([&](Builder& b, Graph& g) {
      const auto& [sequence, heads, width] = sizes;
      const Value qkv = g.add_input({DType::f32, {2, sequence, 3 * heads * width}}, "qkv");
      const Value segments = g.add_input({DType::i32, {2, 1, 3}}, "segments"), p = g.add_input({DType::i64, {5}}, "p");
      const auto attended = b.attention(qkv, segments, p, {.heads = heads});
      b.attention_gradient(qkv, segments, p, attended, attended.out, {.heads = heads});
    });
    verify(graph_of(sample));
    EXPECT_LE(cost_of(graph_of(sample)).flops, 2.5 * kMostWork);
    EXPECT_LE(bytes_of(sample), kMostSampleBytes);
  }
}

TEST(NodeSample, CausalAttentionIsTimedAsSuch) {
  const NodeSample sample = sample_from([](Builder& b, Graph& g) {
    const Value qkv = g.add_input({DType::f32, {1, 16, 12}}, "qkv");
    const Value segments = g.add_input({DType::i32, {1, 1, 3}}, "segments"), p = g.add_input({DType::i64, {5}}, "p");
    b.attention(qkv, segments, p, {.heads = 2, .causal = true, .probability = 0.1f});
  });
  EXPECT_EQ(name_of(sample),
            "attention f32[1, 16, 12], i32[1, 1, 3], i64[5] -> f32[1, 16, 4], f32[1, 2, 16] heads=2 "
            "causal drops");
}

}  // namespace
}  // namespace phasor::test
