// Why a run does not fit into memory, and what would.
#pragma once

#include <string>

#include "models/plan/memory_use.h"

namespace phasor::run {

// One screen for each tier that `use`, which is the run's, takes more of than there is: what holds the room, in the
// device at the peak, and for each single change that helps what is taken with it; those that fit come first. "" where
// everything fits.
std::string refusal(const ResolvedRun& run, const MemoryUse& use, const Budgets& budgets);

}  // namespace phasor::run
