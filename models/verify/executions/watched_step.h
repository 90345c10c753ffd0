// Steps of an execution that somebody looks at, or disturbs.
#pragma once

#include "models/verify/executions/execution.h"
#include "models/verify/values/disturbance.h"
#include "models/verify/values/step_values.h"

namespace phasor::run {

// Runs the next step and returns its loss.
double plain_step(EngineExecution& execution);

// Runs the next step, whose values it notes; returns its loss.
double watched_step(EngineExecution& execution, StepValues& values);

// Runs the next step with every value disturbed (disturbance.h), as `seed` says; returns its loss. `values` may be
// null, else it notes what becomes of them.
double disturbed_step(EngineExecution& execution, Rounding rounding, std::uint64_t seed, StepValues* values);

}  // namespace phasor::run
