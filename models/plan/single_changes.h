// Runs that differ from one in a single setting and may take less memory.
#pragma once

#include <string>
#include <vector>

#include "models/config/resolved_run.h"

namespace phasor::run {

struct Change {
  std::string text;  // as one would type it: "execution.recompute layer"
  ResolvedRun run;
};

// Groups of changes in one direction, the smallest step first: of each group one is worth telling, the smallest that
// fits. All are legal runs.
using ChangeGroups = std::vector<std::vector<Change>>;
// Of what the device holds at once.
ChangeGroups changes_for_device(const ResolvedRun& run);
// Of what the device holds while a trained model is asked.
ChangeGroups changes_for_passes(const ResolvedRun& run);
// Of what remote memory holds, in the host or in files.
ChangeGroups changes_for_remote(const ResolvedRun& run);

}  // namespace phasor::run
