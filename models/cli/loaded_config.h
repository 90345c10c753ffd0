// How the configuration of a run differs from the one that its checkpoint was made with.
#pragma once

#include <string>

#include "models/tasks/run_config.h"

namespace phasor::cli {

// Throws UserError where checkpoint.load is of a model that computes something else, which the shapes of its tensors do
// not show: another number of heads, or another epsilon.
void check_same_model(const tasks::RunConfig& config);

// One line that names the other keys of model and training which are not as they were in the run that checkpoint.load
// goes on with, and both their values; "" where there are none, and where the file is only weights to start from.
std::string changes_of_resumed(const tasks::RunConfig& config);

}  // namespace phasor::cli
