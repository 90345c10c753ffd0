#include <algorithm>
#include <gtest/gtest.h>

#include "engine/program/program.h"

namespace phasor::test {
namespace {

Step load(std::int32_t row, std::int32_t slot = 3) {
  return {.kind = StepKind::load, .slot = slot, .buffer = 1, .row = row, .offset = 64, .turn = 2, .loop = 1};
}

TEST(ListOfSteps, GivesBackWhatItTook) {
  phasor::Steps steps;
  std::vector<Step> expected;
  for (int i = 0; i < 100; ++i) {
    expected.push_back(load(i / 3, i % 5));
    expected.back().issues = i % 2 == 0;
    steps.push_back(expected.back());
  }
  ASSERT_EQ(steps.size(), expected.size());
  EXPECT_TRUE(std::ranges::equal(steps, expected));
  steps.set(7, load(1000));
  expected[7] = load(1000);
  steps.erase(2);
  expected.erase(expected.begin() + 2);
  EXPECT_TRUE(std::ranges::equal(steps, expected));
  EXPECT_EQ(steps.back(), expected.back());
}

TEST(ListOfSteps, AnActionIsAStepWithoutItsRow) {
  phasor::Steps steps;
  for (const Step& step : {load(0), load(1), load(0, 4), load(5, 4)}) steps.push_back(step);
  EXPECT_EQ(steps.action(0), steps.action(1));
  EXPECT_EQ(steps.action(2), steps.action(3));
  EXPECT_NE(steps.action(0), steps.action(2));
}

}  // namespace
}  // namespace phasor::test
