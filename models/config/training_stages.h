// The model that a run trains, as stages and as programs.
#pragma once

#include "engine/train/trainer.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

// Of the run's micro-batches and slices, with what is frozen. Throws UserError where a pattern of it is a mistake.
Stages training_stages(const ResolvedRun& run);

// What trains them; where samples are packed, also on rows of fewer tokens (layers/narrow_rows.h).
LoweredTraining lower(const ResolvedRun& run);

}  // namespace phasor::run
