// Steps of fewer samples than a batch has, of the small BERT: what they compute shows nothing of how they are run.
#include <gtest/gtest.h>

#include "tests/support/tolerance.h"
#include "tests/support/training_run.h"

namespace phasor::test {
namespace {

// Whole steps and short ones, some of which end within a micro-batch, and one of which is of a single sample.
RunOptions base(int replicas, Precision precision = Precision::float32) {
  RunOptions options;
  options.execution = {
      .replicas = replicas, .accumulation = 24 / (2 * replicas), .rts_threshold = 100, .precision = precision};
  options.optimizer.max_grad_norm = 0.5f;
  options.global_batch_size = 24;  // micro-batches of two
  options.samples_of_steps = {24, 24, 5, 24, 3, 1};
  options.steps = static_cast<int>(options.samples_of_steps.size());
  return options;
}

using Way = std::tuple<int, Precision>;  // replicas

class ShortSteps : public ::testing::TestWithParam<Way> {};

TEST_P(ShortSteps, PhasedEqualsMonolithic) {
  const auto& [replicas, precision] = GetParam();
  for (const bool reproducible : {false, true}) {
    RunOptions options = base(replicas, precision);
    options.execution.reproducible = reproducible;
    options.execution.mode = Mode::monolithic;
    const RunResult monolithic = run_training(options);
    EXPECT_EQ(monolithic.high_water_bytes, monolithic.planned_peak_bytes);
    options.execution.mode = Mode::phased;
    for (int depth : {0, 1, 2}) {
      options.execution.recompute = (depth == 1) == reproducible ? Recompute::none : Recompute::layer;
      options.execution.prefetch_depth = depth;
      const RunResult phased = run_training(options);
      EXPECT_EQ(first_difference(phased, monolithic), "") << depth;
      EXPECT_EQ(phased.high_water_bytes, phased.planned_peak_bytes);
    }
  }
}

// A run whose steps are all short is one of programs for as many micro-batches.
TEST_P(ShortSteps, AreStepsOfAShorterProgram) {
  const auto& [replicas, precision] = GetParam();
  for (const int micro_batches : {1, 3}) {
    RunOptions options = base(replicas, precision);
    const std::int64_t samples = 2 * replicas * micro_batches;
    options.samples_of_steps = {samples, samples - 1};
    options.steps = 2;
    const RunResult run = run_training(options);
    options.execution.accumulation = micro_batches;
    options.global_batch_size = samples;
    EXPECT_EQ(first_difference(run, run_training(options)), "") << micro_batches;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ShortSteps,
                         ::testing::Combine(::testing::Values(1, 2, 3),
                                            ::testing::Values(Precision::float32, Precision::bfloat16)),
                         [](const auto& test) {
                           const bool half = std::get<Precision>(test.param) == Precision::bfloat16;
                           return fmt::format("replicas_{}_{}", std::get<int>(test.param),
                                              half ? "bfloat16" : "float32");
                         });

TEST(ShortStepsOfReplicas, AreReproducible) {
  RunOptions options = base(1);
  options.execution.reproducible = true;
  const RunResult expected = run_training(options);
  for (int replicas : {2, 3, 4, 6}) {
    options.execution.replicas = replicas;
    options.execution.accumulation = 12 / replicas;
    EXPECT_EQ(first_difference(run_training(options), expected), "") << replicas;
  }
}

// Every sample's loss is a function of the sample: its draws, too. So the step's is their sum, in another order. The
// steps behind the first would start from weights that rounding has moved apart.
TEST(ShortStepsOfReplicas, HaveTheLossOfTheirSamples) {
  for (const std::int64_t samples : {1, 5, 17}) {
    RunOptions whole = base(1);
    whole.execution.accumulation = 1;
    whole.global_batch_size = samples;
    whole.samples_of_steps = {samples};
    whole.steps = 1;
    const double expected = run_training(whole).losses[0];
    for (int replicas : {1, 2, 3}) {
      RunOptions options = base(replicas);
      options.samples_of_steps = {samples};
      options.steps = 1;
      // Weights, products and sums of the samples' losses: a few roundings each.
      const double roundings = 2 * static_cast<double>(samples) + 4;
      EXPECT_NEAR(run_training(options).losses[0], expected, 2 * test::rounding(roundings) * expected)
          << samples << " samples on " << replicas;
    }
  }
}

}  // namespace
}  // namespace phasor::test
