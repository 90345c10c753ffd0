// Which runs a model of Transformers can train beside.
#pragma once

#include "models/config/resolved_run.h"

namespace phasor::run {

// Throws UserError where Transformers has no such model, or what trains it here cannot do what the run does.
void check_transformers_trains(const ResolvedRun& config);

}  // namespace phasor::run
