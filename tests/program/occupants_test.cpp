#include "engine/program/occupants.h"

#include <gtest/gtest.h>

#include "engine/base/tensor.h"
#include "tests/program/small_program.h"

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
  EXPECT_EQ(program.slots[0].name, "forward/w");
  EXPECT_EQ(w[0].begin, 0);
  EXPECT_EQ(w[0].end, 2);
  EXPECT_EQ(w[0].offset, plan.slot_offsets[0]);
  EXPECT_EQ(w[0].bytes, kAlignment);
  ASSERT_EQ(program.slots[3].name, "forward/y");
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
