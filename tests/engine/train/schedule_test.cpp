#include "engine/train/schedule.h"

#include <gtest/gtest.h>

namespace phasor::test {
namespace {

using Function = Schedule::Function;
constexpr float kMaximum = 1e-3f;

Schedule schedule(Function function, double warmup, std::int64_t steps) {
  return {.function = function, .maximum = kMaximum, .warmup_proportion = warmup, .steps = steps};
}

TEST(Schedule, WarmUpRisesFromTheMinimumToTheMaximum) {
  for (Function function : {Function::constant, Function::linear, Function::cosine, Function::polynomial}) {
    const Schedule s = schedule(function, 0.2, 20);  // four steps of warm-up
    EXPECT_EQ(learning_rate(s, 0), kLeastRate);
    EXPECT_FLOAT_EQ(learning_rate(s, 2), (kLeastRate + kMaximum) / 2);
    EXPECT_LT(learning_rate(s, 3), kMaximum);
    EXPECT_EQ(learning_rate(s, 4), kMaximum);
  }
}

TEST(Schedule, ConstantStaysAtTheMaximum) {
  const Schedule s = schedule(Function::constant, 0.2, 20);
  for (int step = 4; step < 20; ++step) EXPECT_EQ(learning_rate(s, step), kMaximum);
}

TEST(Schedule, LinearFallsToTheMinimumAtTheLastStep) {
  const Schedule s = schedule(Function::linear, 0.25, 21);  // warm-up ends between two steps, at 5.25
  for (int step = 7; step <= 20; ++step) EXPECT_LT(learning_rate(s, step), learning_rate(s, step - 1));
  EXPECT_EQ(learning_rate(s, 20), kLeastRate);
  EXPECT_EQ(learning_rate(s, 25), kLeastRate);  // beyond the end
}

// By hand: at a third of the way down a cosine has fallen by a quarter, at two thirds by three quarters.
TEST(Schedule, CosineFallsToTheMinimumAtTheLastStep) {
  Schedule s = schedule(Function::cosine, 0.25, 41);  // warm-up ends at 10.25
  s.minimum = 1e-4f;
  for (int step = 12; step <= 40; ++step) EXPECT_LT(learning_rate(s, step), learning_rate(s, step - 1));
  EXPECT_EQ(learning_rate(s, 40), s.minimum);
  EXPECT_EQ(learning_rate(s, 45), s.minimum);
  s.warmup_proportion = 0;
  s.steps = 7;
  EXPECT_FLOAT_EQ(learning_rate(s, 2), s.minimum + 0.75f * (kMaximum - s.minimum));
  EXPECT_FLOAT_EQ(learning_rate(s, 4), s.minimum + 0.25f * (kMaximum - s.minimum));
}

// By hand: with two thirds of the way left, a square has four ninths left.
TEST(Schedule, PolynomialFallsToTheMinimumAtTheLastStep) {
  Schedule s = schedule(Function::polynomial, 0.25, 41);
  s.power = 2;
  s.minimum = 1e-4f;
  for (int step = 12; step <= 40; ++step) EXPECT_LT(learning_rate(s, step), learning_rate(s, step - 1));
  EXPECT_EQ(learning_rate(s, 40), s.minimum);
  s.warmup_proportion = 0;
  s.steps = 7;
  EXPECT_FLOAT_EQ(learning_rate(s, 2), s.minimum + 4.0f / 9 * (kMaximum - s.minimum));
  Schedule line = s;
  line.function = Function::linear;
  s.power = 1;
  for (int step = 0; step < 7; ++step) EXPECT_EQ(learning_rate(s, step), learning_rate(line, step));
}

TEST(Schedule, WithoutWarmUpItBeginsAtTheMaximum) {
  EXPECT_EQ(learning_rate(schedule(Function::linear, 0, 20), 0), kMaximum);
  EXPECT_EQ(learning_rate(schedule(Function::constant, 0, 20), 0), kMaximum);
}

TEST(Schedule, WarmUpAlone) {
  const Schedule s = schedule(Function::linear, 1, 10);
  for (int step = 1; step < 10; ++step) EXPECT_GT(learning_rate(s, step), learning_rate(s, step - 1));
  EXPECT_LT(learning_rate(s, 9), kMaximum);
}

TEST(Schedule, OfOneStep) {
  EXPECT_EQ(learning_rate(schedule(Function::linear, 0, 1), 0), kMaximum);
  EXPECT_EQ(learning_rate(schedule(Function::constant, 0, 1), 0), kMaximum);
}

// A maximum below the usual minimum is never exceeded.
TEST(Schedule, OfTinyRates) {
  Schedule s = schedule(Function::linear, 0.5, 10);
  s.maximum = 1e-9f;
  for (int step = 0; step < 10; ++step) EXPECT_EQ(learning_rate(s, step), s.maximum);
  s.maximum = 0;
  for (int step = 0; step < 10; ++step) EXPECT_EQ(learning_rate(s, step), 0);
}

}  // namespace
}  // namespace phasor::test
