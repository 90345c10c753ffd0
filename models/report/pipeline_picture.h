// What the devices of a pipeline do in a step, as it is simulated, and what lies in their memory meanwhile.
#pragma once

#include <span>
#include <string>

#include "engine/program/memory/program_plan.h"
#include "engine/program/simulate/simulator.h"
#include "io/figures/schedule_picture.h"

namespace phasor::run {

// A row for each device; what is left white waits for others.
io::SchedulePicture schedule_picture(const Pipeline& pipeline, const PipelineSimulation& simulation);

// The schedule and, below it, the arena of each device, as an SVG file; budget_bytes 0: none.
void write_pipeline_picture(const std::string& path, const Pipeline& pipeline, std::span<const ProgramPlan> plans,
                            const PipelineSimulation& simulation, std::int64_t budget_bytes);

}  // namespace phasor::run
