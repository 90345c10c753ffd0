#include "engine/program/memory/occupants.h"

#include <gtest/gtest.h>
#include <map>

#include "engine/base/tensor.h"
#include "engine/program/memory/liveness.h"
#include "engine/program/overlap/overlap.h"
#include "tests/engine/program/small_program.h"

namespace phasor::test {
namespace {

std::vector<Occupant> of_slot(const std::vector<Occupant>& occupants, int slot) {
  std::vector<Occupant> result;
  for (const Occupant& occupant : occupants) {
    if (occupant.slot == slot) result.push_back(occupant);
  }
  return result;
}

TEST(Occupancy, ASlotIsOccupiedFromItsWriteToItsLastRead) {
  const Program program = small_program(1);
  const ProgramPlan plan = plan_program(program, 1);
  const std::vector<Occupant> occupants = find_occupants(program, plan);
  // forward: load w (0), gather (1), load x (2), call (3), store y (4)
  const std::vector<Occupant> w = of_slot(occupants, 0), y = of_slot(occupants, 3);
  ASSERT_EQ(w.size(), 1u);
  EXPECT_EQ(fmt::format("{}", program.slots[0]), "forward/w");
  EXPECT_EQ(w[0].begin, 0);
  EXPECT_EQ(w[0].end, 2);
  EXPECT_EQ(w[0].offset, plan.slot_offsets[0]);
  EXPECT_EQ(w[0].bytes, kAlignment);
  ASSERT_EQ(fmt::format("{}", program.slots[3]), "forward/y");
  ASSERT_EQ(y.size(), 1u);
  EXPECT_EQ(y[0].begin, 3);
  EXPECT_EQ(y[0].end, 5);
}

TEST(Occupancy, WhatIsCarriedOccupiesItsSlotOnceThroughout) {
  const Program program = resident_program(1);
  const std::vector<Occupant> sum = of_slot(find_occupants(program, plan_program(program, 1)), 0);
  ASSERT_EQ(sum.size(), 1u);
  EXPECT_EQ(sum[0].begin, 0);
  EXPECT_EQ(sum[0].end, static_cast<int>(program.steps.size()));
}

// One value behind another in a slot: two occupants that touch, not one.
TEST(Occupancy, AValueBehindAnotherIsAnOccupantOfItsOwn) {
  ProgramBuilder b("test", 1);
  const BufferId state = b.buffer({"state", vector_spec(kPart), 2}, Origin::state);
  const SlotId slot = b.slot({.name = "slot", .bytes = 16});
  b.begin_phase("phase", 0, 1, Section::step);
  for (int row : {0, 1}) {
    b.load({state, row}, slot);
    b.store(slot, {state, row});
  }
  const Program program = b.finish();
  const std::vector<Occupant> occupants = of_slot(find_occupants(program, plan_program(program, 1)), slot);
  ASSERT_EQ(occupants.size(), 2u);
  EXPECT_EQ(std::pair(occupants[0].begin, occupants[0].end), (std::pair{0, 2}));
  EXPECT_EQ(std::pair(occupants[1].begin, occupants[1].end), (std::pair{2, 4}));
}

// However many ranges of life a block has at a step, it is counted once.
TEST(Occupancy, ABlockIsCountedOnceWhereItIsAlive) {
  for (const int depth : {0, 1, 2}) {
    const Program program = overlap(small_program(2), depth);
    const int slots = static_cast<int>(program.slots.size());
    std::map<std::pair<int, int>, int> occupied;  // times, of a block at a step
    for (const Occupant& occupant : find_occupants(program, plan_program(program, 1))) {
      const int block = occupant.slot >= 0 ? occupant.slot : slots + occupant.graph;
      for (int step = occupant.begin; step < occupant.end; ++step) ++occupied[{block, step}];
    }
    std::map<std::pair<int, int>, int> alive;
    for (const LiveRange& range : find_liveness(program)) {
      for (int step = range.begin; step <= range.end; ++step) alive[{range.block, step}] = 1;
    }
    EXPECT_EQ(occupied, alive) << depth;
  }
}

// gathered, x and y meet in the forward call; in the backward phase g and w.
TEST(Occupancy, TheFullestMomentOfEachPhase) {
  const Program program = small_program(2);
  const ProgramPlan plan = plan_program(program, 1);
  const auto moments = fullest_moments(find_occupants(program, plan), program.phases);
  ASSERT_EQ(moments.size(), 2u);
  EXPECT_EQ(moments[0].step, 3);
  EXPECT_EQ(moments[0].bytes, 3 * kAlignment);
  EXPECT_EQ(moments[0].bytes, plan.lower_bound_bytes);
  EXPECT_EQ(moments[1].bytes, 2 * kAlignment);
}

}  // namespace
}  // namespace phasor::test
