// Law 4: the plan is the truth, whatever the model and however it is run. The presets are planned as they are; small
// models of their shapes are run.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/lower/lowering.h"
#include "engine/lower/prepare.h"
#include "engine/program/memory/plan_checker.h"
#include "models/config/load_config.h"
#include "models/squad/training.h"
#include "tests/support/training_run.h"

namespace phasor::testing {
namespace {

constexpr double kMostOverBound = 1.05;  // of a plan's peak to the least that it could be

using Placing = std::tuple<Mode, Recompute, int, int>;  // mode, recompute, prefetch_depth, replicas
const auto kPlacings = ::testing::Combine(::testing::Values(Mode::phased, Mode::monolithic),
                                          ::testing::Values(Recompute::layer, Recompute::none),
                                          ::testing::Values(0, 1, 2), ::testing::Values(1, 2, 4));

std::string name_of_placing(const Placing& placing) {
  const auto& [mode, recompute, depth, replicas] = placing;
  return fmt::format("{}_recompute_{}_prefetch_{}_replicas_{}", mode == Mode::phased ? "phased" : "monolithic",
                     recompute == Recompute::layer ? "layer" : "none", depth, replicas);
}

using PresetCase = std::tuple<const char*, Placing>;  // preset

std::string name_of_preset_case(const ::testing::TestParamInfo<PresetCase>& info) {
  std::string name = fmt::format("{}_{}", std::get<0>(info.param), name_of_placing(std::get<1>(info.param)));
  std::ranges::replace(name, '-', '_');
  return name;
}

class MemoryOfPresets : public ::testing::TestWithParam<PresetCase> {};

TEST_P(MemoryOfPresets, PlansAreSoundAndTight) {
  const auto& [preset, placing] = GetParam();
  for (const char* precision : {"float32", "bfloat16"}) {
    SCOPED_TRACE(precision);
    run::RunConfig config = run::load_config(preset, {{"model.precision", precision}});
    run::resolve_vocab_size(config);
    std::tie(config.execution.mode, config.execution.recompute, config.execution.prefetch_depth,
             config.execution.data_parallel) = placing;
    config.execution.threads_per_replica = 2;
    const run::RunSizes sizes = run::validate(config);
    const Stages stages =
        prepare_stages(bert::training_stages(config.model, config.execution.micro_batch_size), config.precision);
    const Program program =
        lower_training(stages, run::optimizer_options(config), run::execution_options(config, sizes));
    const ProgramPlan plan = plan_program(program, sizes.threads_per_replica);
    ASSERT_NO_THROW(check_plan(program, plan, sizes.threads_per_replica));
    EXPECT_LE(static_cast<double>(plan.peak_bytes), kMostOverBound * static_cast<double>(plan.lower_bound_bytes));
    for (const MemoryPlan& workspace : plan.workspaces) {
      EXPECT_LE(static_cast<double>(workspace.peak_bytes),
                kMostOverBound * static_cast<double>(workspace.lower_bound_bytes));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Planned, MemoryOfPresets,
                         ::testing::Combine(::testing::Values("squad-tiny", "squad-base", "squad-large"), kPlacings),
                         name_of_preset_case);

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
  const auto& [preset, placing] = GetParam();
  RunOptions options;
  options.model = twin(preset);
  options.steps = 2;
  options.execution.accumulation = 2;
  options.execution.rts_threshold = 100;
  std::tie(options.execution.mode, options.execution.recompute, options.execution.prefetch_depth,
           options.execution.replicas) = placing;
  options.global_batch_size = 2 * options.execution.accumulation * options.execution.replicas;
  for (Precision precision : {Precision::float32, Precision::bfloat16}) {
    options.execution.precision = precision;
    const RunResult result = run_training(options);
    EXPECT_EQ(result.high_water_bytes, result.planned_peak_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Run, MemoryOfTwins, ::testing::Combine(::testing::Values("tiny", "base", "large"), kPlacings),
                         name_of_preset_case);

}  // namespace
}  // namespace phasor::testing
