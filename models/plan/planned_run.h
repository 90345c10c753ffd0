// What a run comes to: the programs of a training step, of each device, and their plans. Allocates none of what the run
// takes.
#pragma once

#include "engine/program/memory/program_plan.h"
#include "engine/program/pipeline.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

struct PlannedRun {
  std::int64_t parameters = 0;
  Pipeline pipeline;
  std::vector<ProgramPlan> plans;  // of each device

  // The device that takes most, and its bytes.
  int fullest() const;
  std::int64_t peak_bytes() const { return plans[static_cast<std::size_t>(fullest())].peak_bytes; }
  const Program& program(int device) const { return pipeline.devices[static_cast<std::size_t>(device)]; }
  const ProgramPlan& plan(int device) const { return plans[static_cast<std::size_t>(device)]; }
};

// Whether the plans fit into the devices is not looked at.
PlannedRun plan_run(const ResolvedRun& run);

// The stages of a training step, prepared, and the programs alone.
Stages stages_of(const ResolvedRun& run);
Pipeline pipeline_of(const ResolvedRun& run, const Stages& stages);

// The same run of a model of fewer layers, `more` more than it takes for a plan of the same peak: the phases of a layer
// use again what those of others have used. The run itself where it has no layers to spare, or where each counts.
ResolvedRun shallow_run(const ResolvedRun& run, std::int64_t more = 0);
// Layers that leave copies of slots to the same turns: what each further one takes tells their number.
inline constexpr std::int64_t kLayersOfATurn = 12;

}  // namespace phasor::run
