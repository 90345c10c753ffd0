// The configuration that a verb of the command line works with.
#pragma once

#include <map>
#include <string>

#include "models/config/run_config.h"

namespace phasor::run {

// From what the verb was given: a preset's name, a YAML file, a run's output folder (recorded_config.h, with its
// checkpoint as checkpoint.load, whether it has one yet or not), or "" (the one stored in the checkpoint that
// checkpoint.load names, if any); then the overrides, by key; then, where model.from is new, what its folder says
// (model_folder.h); then, where the size of the vocabulary is left to the data, that size.
RunConfig load_config(const std::string& source, const std::map<std::string, std::string>& overrides);

}  // namespace phasor::run
