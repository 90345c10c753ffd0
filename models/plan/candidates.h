// The ways to run what the configuration leaves open, as far as they fit into memory. Bits do not depend on the way.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/program/pipeline.h"
#include "engine/program/simulate/rates.h"
#include "models/plan/memory_use.h"

namespace phasor::run {

struct OpenChoices {
  bool recompute = false;  // and kept layers
  bool depth = false, loops = false;
  bool slices = false;
  bool packing = false;  // of weights

  bool any() const { return recompute || depth || slices || packing; }
};
// What is worth choosing: from memory nothing is gained by running ahead, and a device without a limit has room for
// all.
OpenChoices open_choices(const RunConfig& config);

struct Candidate {
  ResolvedRun run;
  MemoryUse use;
  std::optional<double> seconds;  // predicted
};

// Every way that fits, those first that people would try first. `run`: with defaults for what is open. Where kept
// activations are too many and none too few, as many of the last layers keep theirs as there is room for.
std::vector<Candidate> fitting_candidates(const ResolvedRun& run, const OpenChoices& open, const Budgets& budgets);

// What the run would be that takes the least.
ResolvedRun least_demanding(ResolvedRun run, const OpenChoices& open);

// The rates of this machine for a run's programs.
using RatesOf = std::function<Rates(const ResolvedRun&, const Pipeline&)>;

// The one whose predicted step is the shortest; the only one is not timed.
const Candidate& fastest(std::vector<Candidate>& candidates, const RatesOf& rates_of);
// Of a step: every further turn of layers takes as long as the last one did.
double predicted_seconds(const ResolvedRun& run, const RatesOf& rates_of);

// "recompute layer, kept_layers 3, prefetch_depth 1": what was chosen of what was open.
std::string to_string(const ResolvedRun& run, const OpenChoices& open);

}  // namespace phasor::run
