// Why a run does not fit into memory, and what would.
#pragma once

#include <string>

#include "models/plan/forward_memory.h"
#include "models/plan/memory_use.h"

namespace phasor::run {

// One screen for each tier that `use`, which is the run's, takes more of than there is: what holds the room, in the
// device at the peak, and for each single change that helps what is taken with it; those that fit come first. "" where
// everything fits.
std::string refusal(const ResolvedRun& run, const MemoryUse& use, const Budgets& budgets);

// The same of the passes of a trained model, which take more than execution.device_memory.
std::string forward_refusal(const ResolvedRun& run, const ForwardPrograms& programs);

}  // namespace phasor::run
