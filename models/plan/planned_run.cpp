#include "models/plan/planned_run.h"

#include <algorithm>

#include "engine/lower/lowering.h"
#include "models/architecture/model_config.h"
#include "models/config/training_stages.h"

namespace phasor::run {

Stages stages_of(const ResolvedRun& run) { return prepare_stages(training_stages(run), run.execution.precision); }

Pipeline pipeline_of(const ResolvedRun& run, const Stages& stages) {
  return lower_pipeline(stages, run.training.optimizer, run.execution);
}

PlannedRun plan_run(const ResolvedRun& run) {
  const Stages stages = stages_of(run);
  PlannedRun planned{.parameters = count_parameters(stages), .pipeline = pipeline_of(run, stages), .plans = {}};
  for (const Program& program : planned.pipeline.devices) {
    planned.plans.push_back(plan_program(program, run.execution.threads_per_replica));
  }
  return planned;
}

int PlannedRun::fullest() const {
  return static_cast<int>(std::ranges::max_element(plans, {}, &ProgramPlan::peak_bytes) - plans.begin());
}

ResolvedRun shallow_run(const ResolvedRun& run, std::int64_t more) {
  constexpr std::int64_t kEnough = 2 * kLayersOfATurn;
  constexpr int kDeepest = 3;  // for as many copies and one more kLayersOfATurn is a multiple of their number
  const ExecutionOptions& execution = run.execution;
  const std::int64_t layers = architecture::layers(run.model), left_out = layers - kEnough - more;
  const bool each_counts = execution.mode == Mode::monolithic || execution.kept_stages > 0 ||
                           execution.pipeline.devices > 1 ||
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
