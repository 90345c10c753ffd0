// What a configuration leaves to the program, decided for this machine.
#pragma once

#include "models/config/run_config.h"

namespace phasor::run {

// The configuration with every choice made (device_choice.h), which is told in one line on standard error
// unless `quiet`. Throws UserError, with a screen of explanation, where nothing fits into execution.device_memory.
RunConfig chosen_config(const RunConfig& config, bool quiet);

}  // namespace phasor::run
