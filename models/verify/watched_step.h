// Steps of an execution that somebody looks at, or disturbs.
#pragma once

#include "models/verify/disturbance.h"
#include "models/verify/execution.h"
#include "models/verify/step_values.h"

namespace phasor::run {

// Runs the next step and returns its loss.
double plain_step(Execution& execution);

// Runs the next step, whose values it notes; returns its loss.
double watched_step(Execution& execution, StepValues& values);

// Runs the next step with every value disturbed (disturbance.h), as `seed` says; returns its loss. `values` may be
// null, else it notes what becomes of them.
double disturbed_step(Execution& execution, Rounding rounding, std::uint64_t seed, StepValues* values);

}  // namespace phasor::run
