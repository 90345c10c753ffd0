#include "engine/plan/occupancy.h"

#include <gtest/gtest.h>

namespace phasor::test {
namespace {

// Blocks 0 and 1 side by side, 2 across both, 3 behind them, 4 empty in the middle of 2.
Occupancy occupancy() { return Occupancy({0, 64, 32, 128, 64}, {64, 64, 64, 64, 0}); }

TEST(Occupancy, NothingIsHeldAtFirst) {
  const Occupancy arena = occupancy();
  for (int block = 0; block < 5; ++block) EXPECT_FALSE(arena.holds(block));
}

TEST(Occupancy, AWriteTakesAllThatItMeets) {
  Occupancy arena = occupancy();
  for (int block : {0, 1, 3, 4}) arena.write(block);
  for (int block : {0, 1, 3, 4}) EXPECT_TRUE(arena.holds(block)) << block;
  arena.write(2);
  for (int block : {2, 3, 4}) EXPECT_TRUE(arena.holds(block)) << block;
  for (int block : {0, 1}) EXPECT_FALSE(arena.holds(block)) << block;
  arena.write(1);
  EXPECT_FALSE(arena.holds(2));
  EXPECT_FALSE(arena.holds(0));  // half of it is gone
}

TEST(Occupancy, TenantsFollowOneAnother) {
  Occupancy arena = occupancy();
  arena.write(0, 5);
  EXPECT_TRUE(arena.holds(0, 5));
  arena.write(0, 6);
  EXPECT_FALSE(arena.holds(0, 5));
  EXPECT_TRUE(arena.holds(0, 6));
}

TEST(Occupancy, OneMoment) {
  Occupancy arena = occupancy();
  arena.begin_moment();
  for (int block : {0, 1, 3, 4, 0}) EXPECT_EQ(arena.take(block), Occupancy::kNobody) << block;
  EXPECT_NE(arena.take(2), Occupancy::kNobody);
  arena.begin_moment();
  EXPECT_EQ(arena.take(2), Occupancy::kNobody);
  EXPECT_EQ(arena.take(1), 2);
}

}  // namespace
}  // namespace phasor::test
