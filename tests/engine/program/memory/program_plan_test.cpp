#include "engine/program/memory/program_plan.h"

#include <gtest/gtest.h>

#include "engine/base/tensor.h"
#include "tests/engine/program/check/draft.h"

namespace phasor::test {
namespace {

TEST(ProgramPlan, WhatIsAliveTogetherIsApart) {
  for (int replicas : {1, 2, 4}) {
    for (Strategy strategy : {Strategy::best, Strategy::no_reuse}) {
      for (const Program& program : {small_program(replicas), resident_program(replicas)}) {
        const ProgramPlan plan = plan_program(program, 1, strategy);
        EXPECT_EQ(fault_of(program, plan), "sound");
        EXPECT_GE(plan.peak_bytes, plan.lower_bound_bytes);
      }
    }
  }
}

TEST(ProgramPlan, NoReuseTakesTheSumOfAll) {
  const Program program = small_program(2);
  std::int64_t bytes = 0;
  for (const Slot& slot : program.slots) bytes += align_up(slot.bytes);
  EXPECT_EQ(plan_program(program, 1, Strategy::no_reuse).peak_bytes, bytes);  // the graphs need no workspace
}

// At most three slots are alive together, each in a cache line of its own: gathered, x and y.
TEST(ProgramPlan, TheBestPlanIsAsSmallAsCanBe) {
  const ProgramPlan plan = plan_program(small_program(2), 1);
  EXPECT_EQ(plan.lower_bound_bytes, 3 * kAlignment);
  EXPECT_EQ(plan.peak_bytes, plan.lower_bound_bytes);
}

TEST(ProgramPlan, TheWorkspaceFollowsTheThreads) {
  ProgramBuilder b("test", 1);
  Graph graph;
  const Value qkv = graph.add_input({DType::f32, {2, 64, 3 * 32}}, "qkv");
  const Value segments = graph.add_input({DType::i32, {2, 1, 3}}, "segments");
  const Value position = graph.add_input({DType::i64, {5}}, "position");
  const auto attended = Builder(graph).attention(qkv, segments, position, {.heads = 2});
  graph.outputs = {attended.out, attended.log_sum_exp};
  b.begin_phase("phase", 0, 1, Section::step);
  std::vector<SlotId> slots;
  for (Value value : {qkv, segments, position, attended.out, attended.log_sum_exp}) {
    slots.push_back(b.slot({.name = fmt::format("{}", value.id), .bytes = graph.spec(value).bytes()}));
    if (slots.size() <= 3) b.zero(slots.back());
  }
  b.call(b.graph("attention", GraphKind::forward, graph), slots);
  const Program program = b.finish();
  const ProgramPlan one = plan_program(program, 1), three = plan_program(program, 3);
  EXPECT_LT(one.workspaces[0].peak_bytes, three.workspaces[0].peak_bytes);
  EXPECT_LT(one.peak_bytes, three.peak_bytes);
}

}  // namespace
}  // namespace phasor::test
