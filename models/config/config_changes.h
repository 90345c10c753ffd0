// How the configuration of a run differs from the one that its checkpoint was made with.
#pragma once

#include <string>
#include <vector>

#include "models/config/run_config.h"

namespace phasor::run {

struct ConfigChange {
  std::string key, then, now;
  bool another_model = false;  // computes something else, which the shapes of its tensors do not show
};

// The keys of the configuration that have another value in the YAML text. Keys that it does not name are no changes; it
// may be of another program.
std::vector<ConfigChange> changes_since(const std::string& yaml, const RunConfig& config);

// "training.steps 20 instead of 10, model.seed 3 instead of 42"
std::string to_string(const std::vector<ConfigChange>& changes);

// Throws UserError where checkpoint.load is of another model: one of another number of heads, or another epsilon.
void check_same_model(const RunConfig& config);

// A line that names the other keys of model and training which are not as they were in the run that checkpoint.load
// goes on with, and both their values, and one where its sums are in another order from now on (resumed_sums.h); none
// where the file is only weights to start from.
std::vector<std::string> changes_of_resumed(const RunConfig& config);

}  // namespace phasor::run
