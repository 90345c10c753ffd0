// The device memory that a run may take.
#pragma once

#include "engine/lower/units/options.h"
#include "engine/program/memory/program_plan.h"

namespace phasor {

// Throws UserError where the plan takes more than execution.device_memory.
void check_budget(const ProgramPlan& plan, const ExecutionOptions& execution);

}  // namespace phasor
