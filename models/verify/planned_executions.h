// What a request to verify comes to, with nothing left open, before anything runs.
#pragma once

#include <string>
#include <vector>

#include "io/listener/listener.h"
#include "models/plan/resolve_run.h"
#include "models/verify/compare/execution_pair.h"
#include "models/verify/verify.h"

namespace phasor::run {

// One beside the first.
struct PlannedExecution {
  std::string beside, name;  // for VerifiedPair
  std::string explained;     // likewise
  Rounding rounding = Rounding::none;
  Resolution resolution;
  bool same_samples = true;        // as the first one's
  bool same_micro_batches = true;  // for OtherExecution
  bool same_sums = true;           // likewise
  std::string python;              // whose Transformers execute it; "": the engine does

  // How many of the first configuration are disturbed to find the bound.
  int probes() const { return rounding == Rounding::order || rounding == Rounding::precision ? kProbes : 0; }
};

struct PlannedExecutions {
  std::string name;  // of the first, by what it is where others are something else
  Resolution first;
  std::vector<PlannedExecution> others;
};

// The listener is told what was chosen for each. A request that contradicts itself is a UserError.
PlannedExecutions plan_executions(const VerifyRequest& request, io::Listener& listener);

}  // namespace phasor::run
