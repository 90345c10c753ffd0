// Whether a run may go on from a checkpoint.
#pragma once

#include <string>

#include "models/batches/samples.h"
#include "models/checkpoint/checkpoint.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

// What is not known from the configuration of a run, filled in before its first step.
RunPosition start_of(const ResolvedRun& config, const std::string& config_yaml, const Samples& samples);

// Throws UserError, with both facts, where the run that `saved`, read from `path`, is of took its samples in another
// order, number or from other data than the one that starts at `now`: it would not go on, but become a third one. A
// checkpoint at step 0 is only weights to start from and suits every run.
void check_same_run(const std::string& path, const RunPosition& saved, const RunPosition& now);

}  // namespace phasor::run
