// A smaller run that takes as much of a device as a large one. The phases of a layer use again what those of others
// have used, and so do the calls of micro-batches, but for copies of slots, which they take in turns.
#pragma once

#include "models/config/resolved_run.h"

namespace phasor::run {

// So many times as many layers, or micro-batches of a replica, as leave every copy to the one that had it before.
struct Turns {
  std::int64_t layers = 0, micro_batches = 0;
};

// The run of fewer layers whose plan has the same peak, with `more` turns of them, no more than were left out. The run
// as it is where it has none to spare, or where each counts.
ResolvedRun shallow_run(const ResolvedRun& run, std::int64_t more = 0);

// The same of fewer layers and micro-batches, for training alone: passes of a model that is resident have a place for
// what each micro-batch carries.
ResolvedRun small_run(const ResolvedRun& run, Turns more = {});

// How many the run has beside those of small_run(run).
Turns left_out(const ResolvedRun& run);

}  // namespace phasor::run
