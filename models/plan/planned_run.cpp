#include "models/plan/planned_run.h"

#include <algorithm>

#include "engine/lower/lowering.h"
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

}  // namespace phasor::run
