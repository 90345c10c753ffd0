// Several executions of one configuration, a step at a time, side by side.
#pragma once

#include <string>
#include <vector>

#include "models/verify/compare/execution_pair.h"

namespace phasor::run {

// Runs all as many steps, or until of every other one as many are known as are told of. All begin with one state, that
// of a run behind the same step, and outlive the call.
VerifyResult run_lockstep(const std::string& name, EngineExecution& first, const std::vector<OtherExecution>& others,
                          const LockstepOptions& options, io::Listener& listener);

}  // namespace phasor::run
