#include "models/plan/planned_run.h"

#include <algorithm>

#include "engine/lower/lowering.h"
#include "engine/lower/prepare.h"
#include "models/architecture/model_config.h"

namespace phasor::run {

PlannedRun plan_run(const RunConfig& config) {
  PlannedRun run{.sizes = validate(config)};
  run.execution = execution_options(config, run.sizes);
  if (run.execution.recompute == Recompute::automatic) run.execution.recompute = Recompute::none;
  const Stages stages = prepare_stages(
      architecture::training_stages(config.model, config.execution.micro_batch_size, run.sizes.embedding_slices),
      config.precision);
  run.parameters = count_parameters(stages);
  run.program = lower_training(stages, optimizer_options(config), run.execution);
  run.plan = plan_program(run.program, run.execution.threads_per_replica);
  return run;
}

RunConfig shallow_run(const RunConfig& config, std::int64_t more) {
  constexpr std::int64_t kEnough = 2 * kLayersOfATurn;
  constexpr int kDeepest = 3;  // for as many copies and one more kLayersOfATurn is a multiple of their number
  const ExecutionConfig& execution = config.execution;
  const std::int64_t left_out = architecture::layers(config.model) - kEnough - more;
  const bool each_counts = execution.mode == Mode::monolithic || execution.kept_layers > 0 ||
                           std::max(execution.prefetch_depth, execution.loop_overlap) > kDeepest;
  RunConfig shallow = config;
  if (!each_counts && left_out > 0) {
    const auto kept = architecture::layers(config.model) - left_out / kLayersOfATurn * kLayersOfATurn;
    shallow.model = architecture::with_layers(config.model, static_cast<int>(kept));
  }
  return shallow;
}

}  // namespace phasor::run
