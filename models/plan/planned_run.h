// What a configuration comes to: the program of a training step and its plan. Allocates none of what the run takes.
#pragma once

#include "engine/lower/options.h"
#include "engine/program/memory/program_plan.h"
#include "models/config/run_config.h"

namespace phasor::run {

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

// The same run of a model of fewer layers, `more` more than it takes for a plan of the same peak: the phases of a layer
// use again what those of others have used. The run itself where it has no layers to spare, or where each counts.
RunConfig shallow_run(const RunConfig& config, std::int64_t more = 0);
// Layers that leave copies of slots to the same turns: what each further one takes tells their number.
inline constexpr std::int64_t kLayersOfATurn = 12;

}  // namespace phasor::run
