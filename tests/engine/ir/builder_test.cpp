// Shapes follow from the op table, and what does not fit is refused.
#include "engine/ir/builder.h"

#include <gtest/gtest.h>

namespace phasor::test {
namespace {

struct BuilderTest : ::testing::Test {
  Value reals(const Shape& shape) { return graph.add_input({DType::f32, shape}, ""); }
  Value ids(const Shape& shape) { return graph.add_input({DType::i32, shape}, ""); }
  Value position() { return graph.add_input({DType::i64, {5}}, ""); }

  Graph graph;
  Builder b{graph};
};

TEST_F(BuilderTest, Matmul) {
  EXPECT_EQ(b.shape(b.matmul(reals({2, 3}), reals({3, 4}))), (Shape{2, 4}));
  EXPECT_EQ(b.shape(b.matmul(reals({5, 2, 3}), reals({3, 4}))), (Shape{5, 2, 4}));
  EXPECT_EQ(b.shape(b.matmul(reals({3, 2}), reals({4, 3}), {.transpose_a = true, .transpose_b = true})), (Shape{2, 4}));
  // A transposed operand of three dimensions counts as a matrix.
  EXPECT_EQ(b.shape(b.matmul(reals({5, 2, 3}), reals({5, 2, 4}), {.transpose_a = true})), (Shape{3, 4}));
  EXPECT_THROW(b.matmul(reals({2, 3}), reals({4, 3})), InternalError);
  EXPECT_THROW(b.matmul(reals({3}), reals({3, 4})), InternalError);
}

TEST_F(BuilderTest, Add) {
  EXPECT_EQ(b.shape(b.add(reals({2, 3, 4}), reals({3, 4}))), (Shape{2, 3, 4}));
  EXPECT_THROW(b.add(reals({2, 3}), reals({2})), InternalError);
  EXPECT_THROW(b.add(reals({3}), reals({2, 3})), InternalError);
}

TEST_F(BuilderTest, ReduceSum) {
  EXPECT_EQ(b.shape(b.reduce_sum(reals({2, 3, 4}), {4})), (Shape{4}));
  EXPECT_THROW(b.reduce_sum(reals({2, 3, 4}), {2}), InternalError);
}

TEST_F(BuilderTest, Dropout) {
  const Value x = reals({2, 3});
  EXPECT_EQ(b.shape(b.dropout(x, position(), {.probability = 0.5f})), (Shape{2, 3}));
  EXPECT_THROW(b.dropout(x, position(), {.probability = 1}), InternalError);
  EXPECT_THROW(b.dropout(x, position(), {.probability = -0.1f}), InternalError);
  EXPECT_THROW(b.dropout(x, reals({4}), {.probability = 0.5f}), InternalError);
}

TEST_F(BuilderTest, LayerNorm) {
  const auto [y, mean, rstd] = b.layer_norm(reals({2, 3, 4}), reals({4}), reals({4}), {.eps = 1});
  EXPECT_EQ(b.shape(y), (Shape{2, 3, 4}));
  EXPECT_EQ(b.shape(mean), (Shape{6}));
  EXPECT_EQ(b.shape(rstd), (Shape{6}));
  EXPECT_THROW(b.layer_norm(reals({2, 3}), reals({2}), reals({3}), {.eps = 1}), InternalError);
}

TEST_F(BuilderTest, Embedding) {
  const Value table = reals({10, 4});
  EXPECT_EQ(b.shape(b.embedding(table, ids({2, 3}))), (Shape{2, 3, 4}));
  EXPECT_EQ(b.shape(b.embedding(table, ids({3}))), (Shape{3, 4}));
  EXPECT_THROW(b.embedding(table, reals({3})), InternalError);
  EXPECT_EQ(b.shape(b.embedding_gradient(ids({2, 3}), reals({2, 3, 4}), {.entries = 10})), (Shape{10, 4}));
  EXPECT_THROW(b.embedding_gradient(ids({2}), reals({3, 4}), {.entries = 10}), InternalError);
}

TEST_F(BuilderTest, Attention) {
  const auto attend = [&](const Shape& qkv, const Shape& segments, std::int64_t heads) {
    const Value values = reals(qkv), numbers = ids(segments), at = position();
    return b.attention(values, numbers, at, {.heads = heads});
  };
  const auto [out, log_sum_exp] = attend({2, 5, 24}, {2, 4, 3}, 4);
  EXPECT_EQ(b.shape(out), (Shape{2, 5, 8}));
  EXPECT_EQ(b.shape(log_sum_exp), (Shape{2, 4, 5}));
  EXPECT_THROW(attend({2, 5, 24}, {3, 1, 3}, 4), InternalError);
  EXPECT_THROW(attend({2, 5, 24}, {2, 1, 2}, 4), InternalError);
  EXPECT_THROW(attend({2, 5, 24}, {2, 3}, 4), InternalError);
  EXPECT_THROW(attend({2, 5, 24}, {2, 1, 3}, 3), InternalError);
  EXPECT_THROW(attend({2, 5, 24}, {2, 1, 3}, 0), InternalError);
  EXPECT_THROW(attend({10, 24}, {10, 1, 3}, 4), InternalError);
}

TEST_F(BuilderTest, SegmentsAreOfTheRowsOfTheTensor) {
  const Value x = reals({2, 5, 4}), fitting = ids({2, 3, 3}), other = ids({3, 3, 3});
  EXPECT_EQ(b.shape(b.dropout(x, position(), {}, fitting)), b.shape(x));
  EXPECT_THROW(b.dropout(x, position(), {}, other), InternalError);
  EXPECT_THROW(b.dropout(reals({2}), position(), {}, fitting), InternalError);
  EXPECT_EQ(b.shape(b.places(fitting, {2, 5})), (Shape{2, 5}));
  EXPECT_THROW(b.places(other, {2, 5}), InternalError);
}

TEST_F(BuilderTest, CrossEntropy) {
  const Value logits = reals({3, 7}), labels = ids({3}), weights = reals({3});
  EXPECT_EQ(b.shape(b.cross_entropy(logits, labels, weights)), (Shape{1}));
  EXPECT_THROW(b.cross_entropy(logits, ids({4}), weights), InternalError);
  EXPECT_THROW(b.cross_entropy_gradient(logits, labels, weights, reals({3})), InternalError);
}

// Two rows of logits about each row of tokens.
TEST_F(BuilderTest, CrossEntropyOfSegments) {
  const Value logits = reals({4, 7}), labels = ids({4, 3}), weights = reals({4, 3});
  EXPECT_EQ(b.shape(b.cross_entropy(logits, labels, weights, ids({2, 3, 3}))), (Shape{1}));
  EXPECT_THROW(b.cross_entropy(logits, labels, weights, ids({3, 3, 3})), InternalError);
  EXPECT_THROW(b.cross_entropy(logits, labels, weights, ids({2, 2, 3})), InternalError);
  EXPECT_THROW(b.cross_entropy(logits, ids({4}), weights, ids({2, 3, 3})), InternalError);
}

TEST_F(BuilderTest, ReshapeToItsOwnShapeIsNothing) {
  const Value x = reals({2, 6});
  EXPECT_EQ(b.reshape(x, {2, 6}), x);
  EXPECT_EQ(b.shape(b.reshape(x, {3, 4})), (Shape{3, 4}));
  EXPECT_THROW(b.reshape(x, {3, 5}), InternalError);
}

TEST_F(BuilderTest, Adam) {
  const Value w = reals({7}), step = reals({4}), clip = reals({1});
  EXPECT_EQ(graph.nodes.size(), 0);
  b.adam(w, w, w, w, step, {}, {});
  b.adam(w, w, w, w, step, clip, {});
  EXPECT_EQ(graph.nodes[0].inputs.size(), 5);
  EXPECT_EQ(graph.nodes[1].inputs.size(), 6);
  EXPECT_THROW(b.adam(w, w, w, reals({8}), step, {}, {}), InternalError);
  EXPECT_THROW(b.adam(w, w, w, w, step, step, {}), InternalError);
}

TEST_F(BuilderTest, RefusesValuesOfNoGraph) {
  EXPECT_THROW(b.gelu({}), InternalError);
  EXPECT_THROW(b.gelu({5}), InternalError);
}

}  // namespace
}  // namespace phasor::test
