// What the executions of a comparison take of memory, all at once.
#pragma once

#include "models/verify/planned_executions.h"

namespace phasor::run {

// Throws MemoryTooSmall, with a table of who takes what, where they have no room together: in the least that one of
// them was given as execution.host_memory, or else in what the machine has free, or on the disk of a file store.
// `activations`: the values of a step are kept, too. Takes no memory worth speaking of.
void check_memory(const PlannedExecutions& planned, bool activations);

}  // namespace phasor::run
