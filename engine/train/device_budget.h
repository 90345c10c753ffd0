// Fits training into a given device memory.
#pragma once

#include "engine/ir/stage.h"
#include "engine/lower/options.h"
#include "engine/program/memory/program_plan.h"

namespace phasor {

// `execution` with the choices made that it leaves open: activations are kept where the plan then takes no more than
// execution.device_memory. `stages` are prepared.
ExecutionOptions choose_recompute(const Stages& stages, const OptimizerOptions& optimizer, ExecutionOptions execution);

// Throws UserError where the plan takes more than execution.device_memory.
void check_budget(const ProgramPlan& plan, const ExecutionOptions& execution);

}  // namespace phasor
