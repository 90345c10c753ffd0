// What a configuration comes to: the program of a training step and its plan. Allocates none of what the run takes.
#pragma once

#include "engine/program/program_plan.h"
#include "engine/train/options.h"
#include "models/tasks/run_config.h"

namespace phasor::tasks {

struct PlannedRun {
  RunSizes sizes;
  ExecutionOptions execution;
  std::int64_t parameters = 0;
  Program program;
  ProgramPlan plan;
};

// Throws UserError where the configuration contradicts itself; whether the plan fits into the device is not looked at.
// Where recompute is automatic, activations are kept.
PlannedRun plan_run(const RunConfig& config);

}  // namespace phasor::tasks
