// Places that meet while they must not, planted in a sound plan and found.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/base/tensor.h"
#include "engine/program/overlap/overlap.h"
#include "tests/engine/program/check/draft.h"
#include "tests/engine/program/random_graphs.h"

namespace phasor::test {
namespace {

int slot_named(const Program& program, std::string_view name) {
  const auto slot = std::ranges::find(program.slots, name, [](const Slot& s) { return fmt::format("{}", s); });
  ensure(slot != program.slots.end(), "test: there is no slot '{}'", name);
  return static_cast<int>(slot - program.slots.begin());
}

// What the checker says about a plan without reuse in which slot `moved` has been laid where slot `to` lies.
std::string fault_of_meeting(const Program& program, std::string_view moved, std::string_view to) {
  ProgramPlan plan = plan_program(program, 1, Strategy::no_reuse);
  EXPECT_EQ(fault_of(program, plan), "sound");
  plan.slot_offsets[slot_named(program, moved)] = plan.slot_offsets[slot_named(program, to)];
  return fault_of(program, plan);
}

TEST(PlanChecker, AcceptsWhatThePlannerMakes) {
  for (int replicas : {1, 2, 3}) {
    for (int depth : {0, 1, 2}) {
      for (const Program& made : {small_program(replicas), resident_program(replicas)}) {
        const Program program = overlap(made, depth);
        for (Strategy strategy : {Strategy::best, Strategy::no_reuse}) {
          EXPECT_EQ(fault_of(program, plan_program(program, 1, strategy)), "sound");
        }
      }
    }
  }
}

TEST(PlanChecker, SlotsThatAreNeverAliveTogetherMayMeet) {
  EXPECT_EQ(fault_of_meeting(small_program(2), "backward/w", "forward/w"), "sound");
  EXPECT_EQ(fault_of_meeting(small_program(2), "forward/y", "forward/w"), "sound");
}

TEST(PlanChecker, ASlotIsOverwrittenBeforeItIsRead) {
  EXPECT_EQ(fault_of_meeting(small_program(2), "backward/w", "backward/g"),
            "plan: phase 'backward' instance 0, step 8 needs slot 'backward/g', part of which something else has "
            "overwritten");
  EXPECT_EQ(fault_of_meeting(small_program(2), "forward/x", "forward/gathered"),
            "plan: phase 'forward' instance 0, step 3 needs slot 'forward/gathered', part of which something else has "
            "overwritten");
}

TEST(PlanChecker, WhatOneStepUsesOverlaps) {
  EXPECT_EQ(
      fault_of_meeting(small_program(2), "forward/gathered", "forward/w"),
      "plan: phase 'forward' instance 0, step 1 uses slot 'forward/gathered' and slot 'forward/w', which overlap");
  EXPECT_EQ(fault_of_meeting(small_program(2), "forward/y", "forward/x"),
            "plan: phase 'forward' instance 0, step 3 uses slot 'forward/y' and slot 'forward/x', which overlap");
}

TEST(PlanChecker, WhatIsCarriedFromStepToStepIsOverwritten) {
  EXPECT_EQ(fault_of_meeting(resident_program(2), "x", "sum"),
            "plan: phase 'add' instance 0, step 3 needs slot 'sum', part of which something else has overwritten");
}

TEST(PlanChecker, WhatASectionLeavesToTheNextIsOverwritten) {
  ProgramBuilder b("test", 1);
  const BufferId rows = b.buffer({"own", vector_spec(kPart), 2}, Origin::program);
  const SlotId late = b.slot({.name = "late", .bytes = 16}), early = b.slot({.name = "early", .bytes = 16});
  b.begin_phase("first", 0, 1, Section::begin);
  b.zero(late);
  b.begin_phase("phase", 0, 1, Section::step);
  b.store(late, {rows, 0});
  b.zero(late);
  b.zero(early);
  b.store(early, {rows, 1});
  b.begin_phase("end", 0, 1, Section::end);
  b.store(late, {rows, 0});
  EXPECT_EQ(fault_of_meeting(b.finish(), "early", "late"),
            "plan: phase 'end' instance 0, step 5 needs slot 'late', part of which something else has overwritten");
}

// What the end leaves is nobody's: the state is loaded anew.
TEST(PlanChecker, BehindTheEndNothingIsKept) {
  ProgramBuilder b("test", 1);
  const BufferId rows = b.buffer({"own", vector_spec(kPart), 2}, Origin::program);
  const SlotId carried = b.slot({.name = "carried", .bytes = 16}), other = b.slot({.name = "other", .bytes = 16});
  b.begin_phase("first", 0, 1, Section::begin);
  b.zero(carried);
  b.begin_phase("phase", 0, 1, Section::step);
  b.all_reduce(carried);
  b.begin_phase("end", 0, 1, Section::end);
  b.store(carried, {rows, 0});
  b.zero(other);
  b.store(other, {rows, 1});
  EXPECT_EQ(fault_of_meeting(b.finish(), "other", "carried"), "sound");
}

// Alone in time but for the transfers.
TEST(PlanChecker, TransfersUnderWay) {
  Draft loaded, stored, followed;
  loaded.builder.issue_load({loaded.state, 0}, loaded.a);
  loaded.builder.zero(loaded.b);
  loaded.builder.store(loaded.b, {loaded.own, 0});
  loaded.builder.wait(loaded.a);
  loaded.builder.store(loaded.a, {loaded.own, 1});
  stored.builder.zero(stored.a);
  stored.builder.issue_store(stored.a, {stored.own, 0});
  stored.builder.zero(stored.b);
  stored.builder.store(stored.b, {stored.own, 1});
  stored.builder.wait(stored.a);
  followed.builder.zero(followed.a);
  followed.builder.issue_store(followed.a, {followed.own, 0});
  followed.builder.zero(followed.b);
  followed.builder.store(followed.b, {followed.own, 1});
  followed.builder.issue_load({followed.state, 0}, followed.a);
  followed.builder.wait(followed.a);
  followed.builder.store(followed.a, {followed.own, 2});
  const auto fault = [](Draft& draft) {
    const Program program = draft.builder.finish();
    EXPECT_EQ(fault_of(program), "sound");
    return fault_of_meeting(program, "b", "a");
  };
  constexpr std::string_view kLost = "needs slot 'a', part of which something else has overwritten";
  EXPECT_EQ(fault(loaded), fmt::format("plan: phase 'phase' instance 3, step 3 {}", kLost));
  EXPECT_EQ(fault(stored), fmt::format("plan: phase 'phase' instance 3, step 4 {}", kLost));
  EXPECT_EQ(fault(followed), fmt::format("plan: phase 'phase' instance 3, step 4 {}", kLost));
}

// A graph with a workspace between two loads and a store of what the call does not touch.
Program program_with_workspace() {
  ProgramBuilder b("test", 1);
  const BufferId state = b.buffer({"state", vector_spec(64), 3}, Origin::state);
  b.begin_phase("phase", 0, 1, Section::step);
  std::vector<SlotId> slots;
  for (const char* name : {"a", "b", "c", "kept"}) slots.push_back(b.slot({.name = name, .bytes = 256}));
  for (int i : {0, 1, 3}) b.load({state, 0}, slots[i]);
  b.call(b.graph("deep", GraphKind::forward, random_graph(3, 64)), {slots[0], slots[1], slots[2]});
  b.store(slots[2], {state, 0});
  b.store(slots[3], {state, 1});
  return b.finish();
}

TEST(PlanChecker, WorkspacesThatMeetSlots) {
  const Program program = program_with_workspace();
  EXPECT_EQ(fault_of(program), "sound");
  const auto fault = [&](std::string_view slot) {
    ProgramPlan plan = plan_program(program, 1, Strategy::no_reuse);
    plan.slot_offsets[slot_named(program, slot)] = plan.workspace_offsets[0] + kAlignment;
    return fault_of(program, plan);
  };
  EXPECT_EQ(fault("a"),
            "plan: phase 'phase' instance 0, step 3 uses the workspace of graph 'deep' and slot 'a', which "
            "overlap");
  EXPECT_EQ(fault("c"),
            "plan: phase 'phase' instance 0, step 3 uses the workspace of graph 'deep' and slot 'c', which "
            "overlap");
  EXPECT_EQ(fault("kept"),
            "plan: phase 'phase' instance 0, step 5 needs slot 'kept', part of which something else has overwritten");
}

TEST(PlanChecker, InsideOfAWorkspace) {
  const Program program = program_with_workspace();
  ProgramPlan plan = plan_program(program, 1);
  ASSERT_GE(plan.workspaces[0].offsets.size(), 2U);
  std::ranges::fill(plan.workspaces[0].offsets, 0);
  EXPECT_EQ(fault_of(program, plan).substr(0, 11), "workspace: ");
}

TEST(PlanChecker, PlacesOutOfBounds) {
  const Program program = small_program(2);
  const auto fault = [&](auto damage) {
    ProgramPlan plan = plan_program(program, 1, Strategy::no_reuse);
    damage(plan);
    return fault_of(program, plan);
  };
  EXPECT_EQ(fault([](ProgramPlan& plan) { plan.slot_offsets[1] += 1; }),
            "plan: block 1 lies at 65, expected a multiple of 64");
  EXPECT_EQ(fault([](ProgramPlan& plan) { plan.slot_offsets[1] = -64; }),
            "plan: block 1 lies at -64, expected a multiple of 64");
  EXPECT_EQ(fault([](ProgramPlan& plan) { plan.peak_bytes -= 1; }),
            "plan: block 6 of 16 bytes at 384 ends behind the peak, 447");
  EXPECT_EQ(fault([](ProgramPlan& plan) { plan.workspace_offsets[1] = 512; }),
            "plan: block 8 of 0 bytes at 512 ends behind the peak, 448");
  EXPECT_EQ(fault([](ProgramPlan& plan) { plan.lower_bound_bytes = 512; }),
            "plan: its peak, 448 bytes, is less than what is alive at a time, 512");
  EXPECT_EQ(fault([](ProgramPlan& plan) { plan.slot_offsets.pop_back(); }), "plan: 6 offsets for 7 slots");
  EXPECT_EQ(fault([](ProgramPlan& plan) { plan.workspace_offsets.pop_back(); }), "plan: 8 offsets for 9 blocks");
  EXPECT_EQ(fault([](ProgramPlan& plan) { plan.workspaces.pop_back(); }), "plan: 1 workspaces for 2 graphs");
}

}  // namespace
}  // namespace phasor::test
