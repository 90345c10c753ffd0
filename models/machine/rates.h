// The rates of this machine for the programs of a run, from the cache as far as it has them.
#pragma once

#include "engine/program/pipeline.h"
#include "engine/program/simulate/rates.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

// Measures what the run's cache lacks, or all where `anew`, and keeps it there. Remote memory in files is measured
// every time, in its folder or where that would be made, unless the run is told its rate.
Rates machine_rates(const Pipeline& pipeline, const ResolvedRun& run, bool anew);

}  // namespace phasor::run
