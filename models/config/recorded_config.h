// config.yml in the output folder of a run: the configuration that the run goes on with, wherever the folder is moved
// or copied to, and whatever the working directory is then.
#pragma once

#include "models/config/run_config.h"

namespace phasor::run {

// What config.yml has of the configuration for a run in the folder `output`, which exists. Paths are absolute, but for
// a checkpoint.save in the folder, which is a name in it. training.stop_after is not a run's, but a command's.
RunConfig to_record(const RunConfig& config, const std::string& output);

// What config.yml in `folder` says, with paths that lead there from the working directory.
RunConfig read_record(const std::string& folder);

}  // namespace phasor::run
