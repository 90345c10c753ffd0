// Several executions of one configuration, a step at a time, side by side.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/verify/disturbance.h"
#include "models/verify/execution.h"
#include "models/verify/recorded_run.h"
#include "models/verify/result.h"

namespace phasor::run {

// One that is held against the first, and what comes with it.
struct OtherExecution {
  std::string beside, name;             // for VerifiedPair
  std::string explained;                // likewise
  Execution* execution = nullptr;       // null: it is over, and only what it has left is known
  const RecordedRun* record = nullptr;  // which is this
  Rounding rounding = Rounding::none;   // what may change bits
  std::vector<Execution*> probes;       // of the first configuration, where `rounding` is known (bound.h)
  bool same_micro_batches = true;       // whether each has the samples that the first one's has
  bool same_sums = true;                // whether each replica has the micro-batches that the first one's has
};

struct LockstepOptions {
  std::int64_t steps = 10;
  std::int64_t steps_behind = 4;  // the first difference, that are told of
  bool activations = false;
};

// Runs all as many steps, or until of every other one as many are known as are told of. All begin with one state, that
// of a run behind the same step, and outlive the call.
VerifyResult run_lockstep(const std::string& name, Execution& first, const std::vector<OtherExecution>& others,
                          const LockstepOptions& options, io::Listener& listener);

}  // namespace phasor::run
