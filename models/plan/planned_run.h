// What a run comes to: the program of a training step and its plan. Allocates none of what the run takes.
#pragma once

#include "engine/program/memory/program_plan.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

struct PlannedRun {
  std::int64_t parameters = 0;
  Program program;
  ProgramPlan plan;
};

// Whether the plan fits into the device is not looked at.
PlannedRun plan_run(const ResolvedRun& run);

// The stages of a training step, prepared, and the program alone.
Stages stages_of(const ResolvedRun& run);
Program program_of(const ResolvedRun& run, const Stages& stages);

// The same run of a model of fewer layers, `more` more than it takes for a plan of the same peak: the phases of a layer
// use again what those of others have used. The run itself where it has no layers to spare, or where each counts.
ResolvedRun shallow_run(const ResolvedRun& run, std::int64_t more = 0);
// Layers that leave copies of slots to the same turns: what each further one takes tells their number.
inline constexpr std::int64_t kLayersOfATurn = 12;

}  // namespace phasor::run
