// What `train` does with the folder that --output names: begins a run there, or goes on with the one that it finds.
#pragma once

#include "models/cli/verbs.h"
#include "models/config/run_folder.h"

namespace phasor::cli {

struct RunStart {
  run::RunConfig config;  // with what the run starts from now as checkpoint.load
  std::string record;     // for config.yml: with what it started from at first
};

// `config` is what load_config made of the options.
// - Where the folder is new, the run is as it was given.
// - Where it has a run that the user names, by its folder as the source or by checkpoint.load, this goes on as given.
// - Where it has a run of the very same configuration, that one goes on: the command was typed again.
// - With `force` the run is as it was given, and the one that was there goes when it begins.
// Anything else would lose a run, and is a UserError that says in what the two differ.
RunStart start_run(run::RunConfig config, const CommonOptions& options, bool force, run::RunFolder& folder);

}  // namespace phasor::cli
