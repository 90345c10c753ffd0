// The configuration that a run begins with, from the command line or from elsewhere.
#pragma once

#include <map>
#include <string>

#include "models/config/run_config.h"

namespace phasor::run {

// From what the verb was given: a preset's name, a YAML file, a run's output folder (recorded_config.h, with its
// checkpoint as checkpoint.load, whether it has one yet or not), or "" (the one stored in the checkpoint that
// checkpoint.load names, if any); then the overrides, by key; then, where model.from is new, what its folder says
// (model_folder.h); then, where the size of the vocabulary is left to the data, that size. `given_in`: where the user
// wrote the overrides, as messages name it.
RunConfig load_config(const std::string& source, const std::map<std::string, std::string>& overrides,
                      const std::string& given_in = "the command line");

}  // namespace phasor::run
