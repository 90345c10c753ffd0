#include "models/plan/planned_run.h"

#include <algorithm>

#include "engine/lower/lowering.h"
#include "models/architecture/model_config.h"
#include "models/config/training_stages.h"

namespace phasor::run {

Stages stages_of(const ResolvedRun& run) { return prepare_stages(training_stages(run), run.execution.precision); }

Program program_of(const ResolvedRun& run, const Stages& stages) {
  return lower_training(stages, run.training.optimizer, run.execution);
}

PlannedRun plan_run(const ResolvedRun& run) {
  const Stages stages = stages_of(run);
  PlannedRun planned{.parameters = count_parameters(stages), .program = program_of(run, stages), .plan = {}};
  planned.plan = plan_program(planned.program, run.execution.threads_per_replica);
  return planned;
}

ResolvedRun shallow_run(const ResolvedRun& run, std::int64_t more) {
  constexpr std::int64_t kEnough = 2 * kLayersOfATurn;
  constexpr int kDeepest = 3;  // for as many copies and one more kLayersOfATurn is a multiple of their number
  const ExecutionOptions& execution = run.execution;
  const std::int64_t layers = architecture::layers(run.model), left_out = layers - kEnough - more;
  const bool each_counts = execution.mode == Mode::monolithic || execution.kept_stages > 0 ||
                           std::max(execution.prefetch_depth, execution.loop_overlap) > kDeepest ||
                           !run.training.frozen.empty();  // by the numbers of layers
  ResolvedRun shallow = run;
  if (!each_counts && left_out > 0) {
    const std::int64_t turns = left_out / kLayersOfATurn;
    shallow.model = architecture::with_layers(run.model, static_cast<int>(layers - turns * kLayersOfATurn));
  }
  return shallow;
}

}  // namespace phasor::run
