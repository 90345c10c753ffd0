#include "engine/plan/graph_memory.h"

#include <gtest/gtest.h>

#include "engine/ir/builder.h"

namespace phasor::test {
namespace {

constexpr int kExternal = GraphMemory::kExternal;
const TensorSpec kSquare{DType::f32, {4, 4}};

struct Range {
  int begin, end;
  friend bool operator==(const Range&, const Range&) = default;
};
std::vector<Range> ranges_of(const GraphMemory& memory, int block) {
  std::vector<Range> ranges;
  for (const LiveRange& range : memory.request.ranges) {
    if (range.block == block) ranges.push_back({range.begin, range.end});
  }
  return ranges;
}

GraphMemory memory_of(const Graph& graph, std::vector<std::int64_t> scratch = {}) {
  scratch.resize(graph.nodes.size());
  return graph_memory(graph, scratch);
}

TEST(GraphMemory, InputsAndOutputsLieElsewhere) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input(kSquare, "x"), hidden = b.transpose(x), y = b.transpose(hidden);
  graph.outputs = {y};
  const GraphMemory memory = memory_of(graph);
  EXPECT_EQ(memory.block_of_value, (std::vector{kExternal, 0, kExternal}));
  EXPECT_EQ(memory.request.bytes, (std::vector<std::int64_t>{64}));
  EXPECT_EQ(ranges_of(memory, 0), (std::vector<Range>{{0, 1}}));
  EXPECT_EQ(memory.block_of_value[hidden.id], 0);
}

TEST(GraphMemory, ValuesLiveToTheirLastUse) {
  Graph graph;
  Builder b(graph);
  const Value a = b.transpose(graph.add_input(kSquare, "x"));
  const Value c = b.transpose(a), d = b.transpose(c);
  graph.outputs = {b.matmul(a, d)};
  const GraphMemory memory = memory_of(graph);
  EXPECT_EQ(ranges_of(memory, memory.block_of_value[a.id]), (std::vector<Range>{{0, 3}}));
  EXPECT_EQ(ranges_of(memory, memory.block_of_value[c.id]), (std::vector<Range>{{1, 2}}));
  EXPECT_EQ(ranges_of(memory, memory.block_of_value[d.id]), (std::vector<Range>{{2, 3}}));
}

// An output that nothing reads still needs a place while its node runs.
TEST(GraphMemory, AResultThatNobodyReadsLivesWhileItIsMade) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input(kSquare, "x"), gamma = graph.add_input({DType::f32, {4}}, "gamma");
  const auto norm = b.layer_norm(b.transpose(x), gamma, gamma, {.eps = 1});
  graph.outputs = {b.transpose(norm.y)};
  const GraphMemory memory = memory_of(graph);
  EXPECT_EQ(ranges_of(memory, memory.block_of_value[norm.mean.id]), (std::vector<Range>{{1, 1}}));
}

TEST(GraphMemory, AnOpOverwritesAnInputThatDiesThere) {
  Graph graph;
  Builder b(graph);
  const Value hidden = b.transpose(graph.add_input(kSquare, "x")), active = b.gelu(hidden);
  graph.outputs = {b.transpose(active)};
  const GraphMemory memory = memory_of(graph);
  EXPECT_EQ(memory.block_of_value[hidden.id], memory.block_of_value[active.id]);
  EXPECT_EQ(memory.request.bytes.size(), 1);
  EXPECT_EQ(ranges_of(memory, 0), (std::vector<Range>{{0, 1}, {1, 2}}));
}

TEST(GraphMemory, WhatMayNotBeOverwritten) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input(kSquare, "x");
  const Value of_input = b.gelu(x);               // x is the caller's
  const Value alive = b.gelu(of_input);           // of_input is read again below
  const Value twice = b.add(of_input, of_input);  // both operands are one value
  const Value second = b.add(alive, twice);       // only the first operand may go
  const Value transposed = b.transpose(second);   // the op does not allow it
  graph.outputs = {b.transpose(transposed)};
  const GraphMemory memory = memory_of(graph);
  const auto block = [&](Value value) { return memory.block_of_value[value.id]; };
  EXPECT_NE(block(of_input), kExternal);
  EXPECT_NE(block(alive), block(of_input));
  EXPECT_NE(block(twice), block(of_input));
  EXPECT_EQ(block(second), block(alive));
  EXPECT_NE(block(second), block(twice));
  EXPECT_NE(block(transposed), block(second));
}

TEST(GraphMemory, ScratchLivesWhileItsNodeRuns) {
  Graph graph;
  Builder b(graph);
  graph.outputs = {b.transpose(b.transpose(graph.add_input(kSquare, "x")))};
  const GraphMemory memory = memory_of(graph, {0, 1000});
  EXPECT_EQ(memory.scratch_of_node, (std::vector{kExternal, 1}));
  EXPECT_EQ(memory.request.bytes[1], 1000);
  EXPECT_EQ(ranges_of(memory, 1), (std::vector<Range>{{1, 1}}));
}

}  // namespace
}  // namespace phasor::test
