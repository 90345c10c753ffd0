// Workspaces with a fault, and what is said about them.
#include "engine/plan/graph_memory_checker.h"

#include <gtest/gtest.h>

#include "engine/base/tensor.h"
#include "engine/ir/builder.h"

namespace phasor::test {
namespace {

constexpr std::int64_t kBytes = 64;

// u = gelu(x), v = gelu(u) in its place, t = transpose(v), w = t + v, y = transpose(w); every node but the adding one
// has scratch.
struct Workspace {
  Workspace() {
    Builder b(graph);
    const Value x = graph.add_input({DType::f32, {4, 4}}, "x");
    u = b.gelu(x), v = b.gelu(u), t = b.transpose(v), w = b.add(t, v);
    graph.outputs = {b.transpose(w)};
    memory = graph_memory(graph, std::vector<std::int64_t>{kBytes, kBytes, kBytes, 0, kBytes});
    plan = plan_memory(memory.request, Strategy::no_reuse);
  }
  std::int64_t& offset(Value value) { return plan.offsets[memory.block_of_value[value.id]]; }
  std::int64_t& scratch_offset(int node) { return plan.offsets[memory.scratch_of_node[node]]; }
  std::string fault() const {
    try {
      check_graph_memory(graph, memory, plan);
    } catch (const InternalError& error) {
      return error.what();
    }
    return "sound";
  }

  Graph graph;
  Value u, v, t, w;
  GraphMemory memory;
  MemoryPlan plan;
};

TEST(GraphMemoryChecker, AcceptsWhatThePlannerMakes) {
  Workspace workspace;
  EXPECT_EQ(workspace.memory.block_of_value[workspace.u.id], workspace.memory.block_of_value[workspace.v.id]);
  EXPECT_EQ(workspace.fault(), "sound");
  workspace.plan = plan_memory(workspace.memory.request);
  EXPECT_EQ(workspace.fault(), "sound");
}

TEST(GraphMemoryChecker, AValueIsOverwrittenByAnother) {
  Workspace workspace;
  workspace.offset(workspace.t) = workspace.offset(workspace.v);
  EXPECT_EQ(workspace.fault(), "workspace: node 2 (transpose) uses two places that overlap");
}

TEST(GraphMemoryChecker, AValueIsOverwrittenByScratch) {
  Workspace early, late;
  early.scratch_offset(1) = early.offset(early.u);
  late.scratch_offset(2) = late.offset(late.v);
  EXPECT_EQ(early.fault(), "workspace: node 1 (gelu) uses two places that overlap");
  EXPECT_EQ(late.fault(), "workspace: node 2 (transpose) uses two places that overlap");
}

// Between its producer and its reader, while neither runs.
TEST(GraphMemoryChecker, AValueIsOverwrittenInBetween) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input({DType::f32, {4, 4}}, "x"), a = b.transpose(x), c = b.transpose(x);
  const Value d = b.transpose(c);
  graph.outputs = {b.matmul(a, d)};
  const GraphMemory memory = graph_memory(graph, std::vector<std::int64_t>(graph.nodes.size(), 0));
  MemoryPlan plan = plan_memory(memory.request);
  check_graph_memory(graph, memory, plan);
  plan.offsets[memory.block_of_value[c.id]] = plan.offsets[memory.block_of_value[a.id]];
  EXPECT_THROW(check_graph_memory(graph, memory, plan), InternalError);
}

// Not a fault of the placement but of what shares a block.
TEST(GraphMemoryChecker, AnOpThatMayNotOverwrite) {
  Workspace workspace;
  workspace.memory.block_of_value[workspace.t.id] = workspace.memory.block_of_value[workspace.v.id];
  EXPECT_EQ(workspace.fault(), "workspace: node 2 (transpose) writes to the place of another operand");
  Workspace scratch;
  scratch.memory.scratch_of_node[2] = scratch.memory.block_of_value[scratch.t.id];
  EXPECT_EQ(scratch.fault(), "workspace: node 2 (transpose) has its scratch in the place of an operand");
}

TEST(GraphMemoryChecker, OutOfBounds) {
  Workspace odd, high, low, missing;
  odd.offset(odd.t) += 4;
  high.offset(high.t) = high.plan.peak_bytes;
  low.plan.lower_bound_bytes = low.plan.peak_bytes + kAlignment;
  missing.plan.offsets.pop_back();
  EXPECT_NE(missing.fault().find("offsets for"), std::string::npos);
  EXPECT_NE(odd.fault().find("expected a multiple of 64"), std::string::npos);
  EXPECT_NE(high.fault().find("ends behind the peak"), std::string::npos);
  EXPECT_NE(low.fault().find("is less than what is alive at a time"), std::string::npos);
}

}  // namespace
}  // namespace phasor::test
