#include "engine/transform/fuse_vocabulary.h"

#include <gtest/gtest.h>

#include "engine/ir/builder.h"
#include "engine/ir/verifier.h"
#include "tests/support/fast_executor.h"
#include "tests/support/inputs.h"

namespace phasor::test::fuse_vocabulary_example {
namespace {

// A head from x to the loss and back.
struct Example {
  explicit Example(DType dtype = DType::f32, std::int64_t entries = 10) : b(graph) {
    x = graph.add_input({dtype, {6, 4}}, "x");
    weight = graph.add_input({dtype, {entries, 4}}, "weight");
    labels = graph.add_input({DType::i32, {6}}, "labels");
    label_weights = graph.add_input({DType::f32, {6}}, "label_weights");
    dloss = graph.add_input({DType::f32, {1}}, "dloss");
    sum = graph.add_input({DType::f32, {entries, 4}}, "sum");
    sums = b.vocabulary_sums(x, weight, labels, label_weights);
    loss = b.vocabulary_loss(sums, label_weights);
    dsums = b.vocabulary_loss_gradient(sums, label_weights, dloss);
  }

  void add_gradient(Value of_x) {
    const auto [dweight, dx] = b.vocabulary_gradient_add(sum, of_x, weight, labels, dsums);
    graph.outputs = {loss, dweight, dx};
  }

  std::vector<Op> ops() const {
    const Graph fused = fuse_vocabulary(graph);
    verify(fused);
    std::vector<Op> all;
    for (const Node& node : fused.nodes) all.push_back(node.op);
    return all;
  }
  bool stays() const { return ops().size() == graph.nodes.size(); }

  Graph graph;
  Builder b;
  Value x, weight, labels, label_weights, dloss, sum, sums, loss, dsums;
};

std::vector<Elements<float>> numbers() {
  std::vector<Elements<float>> inputs(6);
  const auto reals = [&](std::size_t i, std::int64_t count) {
    const Floats values = uniform(i, count, -1, 1);
    inputs[i].reals.assign(values.begin(), values.end());
  };
  reals(0, 24), reals(1, 40), reals(3, 6), reals(4, 1), reals(5, 40);
  inputs[2].ids = {0, 9, 3, 3, 5, 1};
  return inputs;
}

TEST(FuseVocabulary, JoinsTheSumsWithTheGradient) {
  Example e;
  e.add_gradient(e.x);
  EXPECT_EQ(e.ops(), (std::vector{Op::vocabulary_sums_with_gradient, Op::vocabulary_loss}));
  EXPECT_TRUE(run_graph(fuse_vocabulary(e.graph), numbers()) == run_graph(e.graph, numbers()));
}

TEST(FuseVocabulary, NotOfAnotherX) {
  Example e;
  e.add_gradient(e.b.add(e.x, e.x));
  EXPECT_TRUE(e.stays());
}

TEST(FuseVocabulary, NotOfASlice) {
  constexpr std::int64_t kEntries = 512;
  Example e(DType::f32, kEntries);
  const Value position = e.graph.add_input({DType::i64, {5}}, "position");
  const Builder::VocabularySlice slice{.position = position};
  const VocabularyAttributes attributes{.whole = 2 * kEntries};
  const Value sums = e.b.vocabulary_sums(e.x, e.weight, e.labels, e.label_weights, attributes, slice);
  const Value dsums = e.b.vocabulary_loss_gradient(sums, e.label_weights, e.dloss);
  e.graph.outputs = {e.b.vocabulary_gradient_add(e.sum, e.x, e.weight, e.labels, dsums, attributes, slice).dweight};
  EXPECT_TRUE(e.stays());
}

TEST(FuseVocabulary, NotInBfloat16) {
  Example e(DType::bf16);
  e.add_gradient(e.x);
  EXPECT_TRUE(e.stays());
}

TEST(FuseVocabulary, NotWhereTheSumsOrTheLossAreNeededBefore) {
  Example of_sums;
  of_sums.b.add(of_sums.sums, of_sums.sums);
  of_sums.add_gradient(of_sums.x);
  EXPECT_TRUE(of_sums.stays());
  Example of_loss;
  of_loss.b.add(of_loss.loss, of_loss.loss);
  of_loss.add_gradient(of_loss.x);
  EXPECT_TRUE(of_loss.stays());
  Example of_message;
  of_message.add_gradient(of_message.x);
  of_message.b.add(of_message.dsums, of_message.dsums);
  EXPECT_TRUE(of_message.stays());
}

}  // namespace
}  // namespace phasor::test::fuse_vocabulary_example
