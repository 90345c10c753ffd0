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

}  // namespace phasor::run
