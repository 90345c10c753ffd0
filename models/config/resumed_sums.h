// Whether a run that goes on sums its gradients as it did before.
#pragma once

#include <string>

#include "models/config/run_config.h"

namespace phasor::run {

// What to tell of a run that goes on from the checkpoint at `path`, which was saved with the configuration `yaml`,
// where its gradients are sums in another order from now on: the run ends well, but not with the bits of one that was
// not interrupted. Empty where they are not, or where the text does not say how the run was divided.
std::string change_of_sums(const std::string& path, const std::string& yaml, const RunConfig& now);

}  // namespace phasor::run
