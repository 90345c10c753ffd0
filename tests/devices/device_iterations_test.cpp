// Steps that run without the host in between are those that run with it, to the bit.
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace phasor::test::device_iterations {
namespace {

// mode, replicas, steps that are prepared at a time, in files
using Case = std::tuple<Mode, int, int, bool>;

class DeviceIterations : public ::testing::TestWithParam<Case> {};

// Of five steps, two of which are shorter: the last run has fewer of them than it may have.
TEST_P(DeviceIterations, ComputeWhatSingleStepsDo) {
  const auto& [mode, replicas, iterations, in_files] = GetParam();
  RunOptions options;
  options.steps = 5;
  options.samples_of_steps = {48, 20, 48, 9, 48};
  options.execution = {.mode = mode, .replicas = replicas, .accumulation = 4, .rts_threshold = 100};
  options.optimizer.max_grad_norm = 0.5f;
  const RunResult single = run_training(options);
  options.execution.device_iterations = iterations;
  const test::TemporaryFolder folder;
  const RunResult together = in_files ? run_training_on_files(options, folder.path()) : run_training(options);
  EXPECT_EQ(together.losses.size(), single.losses.size());
  EXPECT_EQ(first_difference(together, single), "");
  EXPECT_EQ(together.planned_peak_bytes, single.planned_peak_bytes);
  EXPECT_EQ(together.high_water_bytes, together.planned_peak_bytes);
}

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  const auto& [mode, replicas, iterations, in_files] = info.param;
  return fmt::format("{}_replicas_{}_iterations_{}{}", mode == Mode::phased ? "phased" : "monolithic", replicas,
                     iterations, in_files ? "_files" : "");
}

INSTANTIATE_TEST_SUITE_P(All, DeviceIterations,
                         ::testing::Combine(::testing::Values(Mode::phased, Mode::monolithic), ::testing::Values(1, 2),
                                            ::testing::Values(3), ::testing::Values(false, true)),
                         name_of_case);

// Masters that are not kept are rounded by draws of each step's own.
TEST(DeviceIterationsByChance, ComputeWhatSingleStepsDo) {
  RunOptions options;
  options.steps = 4;
  options.execution = {.accumulation = 2, .precision = Precision::bfloat16};
  options.optimizer.stochastic_rounding = true;
  options.optimizer.layer_decay = 0.5;
  const RunResult single = run_training(options);
  options.execution.device_iterations = 4;
  EXPECT_EQ(first_difference(run_training(options), single), "");
}

}  // namespace
}  // namespace phasor::test::device_iterations
