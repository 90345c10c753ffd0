// Graphs broken by hand are found broken.
#include "engine/ir/verifier.h"

#include <gtest/gtest.h>

#include "engine/ir/builder.h"

namespace phasor::test {
namespace {

// y = gelu(x w)
struct VerifierTest : ::testing::Test {
  VerifierTest() {
    const Value x = graph.add_input({DType::f32, {3, 3}}, "x"), w = graph.add_input({DType::f32, {3, 3}}, "w");
    Builder b(graph);
    graph.outputs = {b.gelu(b.matmul(x, w))};
  }
  std::string fault() const {
    try {
      verify(graph);
    } catch (const InternalError& error) {
      return error.what();
    }
    return "none";
  }
  Graph graph;
};

TEST_F(VerifierTest, AcceptsWhatTheBuilderMakes) { EXPECT_EQ(fault(), "none"); }

TEST_F(VerifierTest, UseBeforeDefinition) {
  graph.nodes[0].inputs[1] = {3};
  EXPECT_EQ(fault(), "graph: node 0 (matmul) uses value %3 before it is defined");
}

TEST_F(VerifierTest, TwoProducers) {
  graph.nodes[1].outputs = {{2}};
  EXPECT_EQ(fault(), "graph: value %2 is defined twice");
}

TEST_F(VerifierTest, NoProducer) {
  graph.values.push_back({.spec = {DType::f32, {1}}, .name = {}, .producer = 0});
  EXPECT_EQ(fault(), "graph: value %4 has no producer");
}

TEST_F(VerifierTest, AnotherProducerThanItNames) {
  graph.values[3].producer = 0;
  EXPECT_EQ(fault(), "graph: value %3 names producer 0, but node 1 defines it");
}

TEST_F(VerifierTest, AValueThatDoesNotExist) {
  graph.outputs = {{9}};
  EXPECT_EQ(fault(), "graph: the graph's outputs names value %9, of 4");
}

TEST_F(VerifierTest, AnotherShapeThanTheOps) {
  graph.values[3].spec.shape = {9};
  EXPECT_EQ(fault(), "graph: node 1 (gelu) output 0 is f32[9], expected f32[3, 3]");
}

TEST_F(VerifierTest, OperandsThatDoNotFit) {
  graph.values[1].spec.shape = {4, 3};
  EXPECT_EQ(fault(), "matmul: a [3, 3] and b [4, 3] have inner dimensions 3 and 4");
}

TEST_F(VerifierTest, AnotherNumberOfOutputs) {
  graph.nodes[1].outputs.clear();
  EXPECT_EQ(fault(), "graph: node 1 (gelu) has 0 outputs, expected 1");
}

}  // namespace
}  // namespace phasor::test
