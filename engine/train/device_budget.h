// The device memory that a run may take.
#pragma once

#include <span>

#include "engine/lower/units/options.h"
#include "engine/program/memory/program_plan.h"

namespace phasor {

// Throws UserError where the plan of a device takes more than execution.device_memory.
void check_budget(std::span<const ProgramPlan> plans, const ExecutionOptions& execution);

}  // namespace phasor
