// The model that a run trains, as stages.
#pragma once

#include "engine/ir/stage.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

// Of the run's micro-batches and slices, with what is frozen. Throws UserError where a pattern of it is a mistake.
Stages training_stages(const ResolvedRun& run);

}  // namespace phasor::run
