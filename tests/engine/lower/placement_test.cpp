#include "engine/lower/units/placement.h"

#include <gtest/gtest.h>

#include "tests/engine/train/toy_model.h"

namespace phasor::test {
namespace {

Placement place(std::int64_t elements, int replicas, std::int64_t threshold) {
  return place_variable({DType::f32, {elements}}, replicas, threshold);
}

TEST(Placement, ShardsCoverTheVariableWithTheLeastPadding) {
  for (std::int64_t elements : {0, 1, 2, 6, 7, 12, 13}) {
    for (int replicas : {2, 3, 4, 7}) {
      const Placement p = place(elements, replicas, 0);
      EXPECT_TRUE(p.sharded);
      EXPECT_EQ(p.elements, elements);
      EXPECT_EQ(p.gathered_elements, p.local_elements * replicas);
      EXPECT_GE(p.gathered_elements, elements);
      EXPECT_LT(p.gathered_elements, elements + replicas);
    }
  }
}

TEST(Placement, WholeVariablesHaveNoPadding) {
  for (std::int64_t elements : {0, 1, 13}) {
    for (const Placement& p : {place(elements, 1, 0), place(elements, 4, elements + 1)}) {
      EXPECT_FALSE(p.sharded);
      EXPECT_EQ(p.local_elements, elements);
      EXPECT_EQ(p.gathered_elements, elements);
    }
  }
}

TEST(Placement, TheThresholdItselfIsSharded) {
  EXPECT_TRUE(place(100, 2, 100).sharded);
  EXPECT_FALSE(place(99, 2, 100).sharded);
}

TEST(Placement, BuffersHaveARowAnInstance) {
  Stage stage = toy_head();
  stage.instances = 5;
  const Placement p = place_variable({DType::f32, {kToyHidden, kToyClasses}}, 5, 0);  // 24 elements: 5 a replica
  const BufferSpec buffer = state_buffer(StateKind::moment1, stage, stage.variables[0], p);
  EXPECT_EQ(buffer, (BufferSpec{.name = "head.weight.moment1", .row = {DType::f32, {5}}, .rows = 5}));
}

}  // namespace
}  // namespace phasor::test
