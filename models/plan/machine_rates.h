// The rates of this machine for a program, from the cache as far as it has them.
#pragma once

#include "engine/lower/options.h"
#include "engine/program/program.h"
#include "engine/program/simulate/rates.h"
#include "models/config/run_config.h"

namespace phasor::run {

// Measures what the cache of `config` lacks, or all where `anew`, and keeps it there. Remote memory in files is
// measured every time, in its folder or where that would be made, unless the configuration tells its rate.
Rates machine_rates(const Program& program, const RunConfig& config, const ExecutionOptions& execution, bool anew);

}  // namespace phasor::run
