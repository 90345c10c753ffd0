// Law 4: the plan is the truth, whatever the model and however it is run. The presets are planned as they are; small
// models of their shapes are run.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/lower/lowering.h"
#include "engine/program/memory/plan_checker.h"
#include "models/config/load_config.h"
#include "models/config/resolved_run.h"
#include "models/config/training_stages.h"
#include "tests/support/pairwise.h"
#include "tests/support/training_run.h"

namespace phasor::test {
namespace {

constexpr double kMostOverBound = 1.05;  // of a plan's peak to the least that it could be

using PresetCase =
    std::tuple<const char*, Mode, Recompute, int, int>;  // preset, mode, recompute, prefetch_depth, replicas

std::vector<PresetCase> cases_of(const std::vector<const char*>& presets) {
  return pairwise<const char*, Mode, Recompute, int, int>(presets, {Mode::phased, Mode::monolithic},
                                                          {Recompute::layer, Recompute::none}, {0, 1, 2}, {1, 2, 4});
}

std::string name_of_preset_case(const ::testing::TestParamInfo<PresetCase>& info) {
  const auto& [preset, mode, recompute, depth, replicas] = info.param;
  std::string name =
      fmt::format("{}_{}_recompute_{}_prefetch_{}_replicas_{}", preset, mode == Mode::phased ? "phased" : "monolithic",
                  recompute == Recompute::layer ? "layer" : "none", depth, replicas);
  std::ranges::replace(name, '-', '_');
  return name;
}

class MemoryOfPresets : public ::testing::TestWithParam<PresetCase> {};

TEST_P(MemoryOfPresets, PlansAreSoundAndTight) {
  const auto& [preset, mode, recompute, depth, replicas] = GetParam();
  for (const char* precision : {"float32", "bfloat16"}) {
    SCOPED_TRACE(precision);
    run::RunConfig config = run::load_config(preset, {{"model.precision", precision}});
    config.execution.mode = mode;
    config.execution.recompute = recompute;
    config.execution.prefetch_depth = depth;
    config.execution.data_parallel = replicas;
    config.execution.threads_per_replica = 2;
    const run::ResolvedRun run = run::settle_defaults(config);
    const Stages stages = prepare_stages(architecture::training_stages(config.model, config.execution.micro_batch_size),
                                         config.precision);
    const Program program = lower_training(stages, run.training.optimizer, run.execution);
    const ProgramPlan plan = plan_program(program, run.execution.threads_per_replica);
    ASSERT_NO_THROW(check_plan(program, plan, run.execution.threads_per_replica));
    EXPECT_LE(static_cast<double>(plan.peak_bytes), kMostOverBound * static_cast<double>(plan.lower_bound_bytes));
    for (const MemoryPlan& workspace : plan.workspaces) {
      EXPECT_LE(static_cast<double>(workspace.peak_bytes),
                kMostOverBound * static_cast<double>(workspace.lower_bound_bytes));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Planned, MemoryOfPresets,
                         ::testing::ValuesIn(cases_of({"squad-tiny", "squad-base", "squad-large"})),
                         name_of_preset_case);

// Else a micro-batch that is not full would compute its padding (Runner).
TEST(MemoryOfPresets, NarrowProgramsNeedNoMoreRoomThanWholeOnes) {
  for (const char* precision : {"float32", "bfloat16"})
    for (const char* recompute : {"none", "layer"}) {
      const std::map<std::string, std::string> overrides{{"model.precision", precision},
                                                         {"execution.recompute", recompute},
                                                         {"model.layers", "2"},
                                                         {"execution.micro_batch_size", "4"},
                                                         {"training.global_batch_size", "8"}};
      const LoweredTraining lowered = run::lower(run::settle_defaults(run::load_config("squad-base", overrides)));
      EXPECT_EQ(lowered.narrow.size(), 31);
      const auto peaks_of = [](const Pipeline& pipeline) {
        std::vector<std::int64_t> peaks;
        for (const NamedGraph& named : pipeline.first().graphs) {
          peaks.push_back(plan_workspace(named.graph, 2).peak_bytes);
        }
        return peaks;
      };
      const std::vector<std::int64_t> room = peaks_of(lowered.pipeline);
      for (const NarrowPipeline& narrow : lowered.narrow) {
        const std::vector<std::int64_t> peaks = peaks_of(narrow.pipeline);
        ASSERT_EQ(peaks.size(), room.size());
        for (std::size_t i = 0; i < peaks.size(); ++i) EXPECT_LE(peaks[i], room[i]) << narrow.tokens << " tokens";
      }
    }
}

// Models of the presets' depths, a 32nd of their widths.
bert::Config twin(const std::string& preset) {
  bert::Config model = RunOptions{}.model;
  model.layers = preset == "tiny" ? 2 : preset == "base" ? 12 : 24;
  model.hidden_size = preset == "tiny" ? 8 : preset == "base" ? 24 : 32;
  model.heads = preset == "base" ? 3 : 4;
  model.intermediate_size = 4 * model.hidden_size;
  return model;
}

class MemoryOfTwins : public ::testing::TestWithParam<PresetCase> {};

TEST_P(MemoryOfTwins, WhatIsMeasuredIsWhatWasPlanned) {
  const auto& [preset, mode, recompute, depth, replicas] = GetParam();
  RunOptions options;
  options.model = twin(preset);
  options.steps = 2;
  options.execution = {.mode = mode,
                       .replicas = replicas,
                       .accumulation = 2,
                       .rts_threshold = 100,
                       .recompute = recompute,
                       .prefetch_depth = depth,
                       .loop_overlap = depth};
  options.global_batch_size = 2 * options.execution.accumulation * replicas;
  for (Precision precision : {Precision::float32, Precision::bfloat16}) {
    options.execution.precision = precision;
    const RunResult result = run_training(options);
    EXPECT_EQ(result.high_water_bytes, result.planned_peak_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Run, MemoryOfTwins, ::testing::ValuesIn(cases_of({"tiny", "base", "large"})),
                         name_of_preset_case);

}  // namespace
}  // namespace phasor::test
