// Lets transfers run beside compute: prefetch, write-behind and double-buffered rows, as a transform of the program.
#pragma once

#include "engine/program/program.h"

namespace phasor {

// The same computation, to the bit, on the same rows. Loads are issued `depth` phases ahead, those of turns
// `depth` calls ahead (prefetch.h); stores are waited for as much later (issue_transfers.h). It costs the device memory
// of up to `depth` more copies of a slot. Depth 0 changes nothing. `program` is sound and issues nothing.
Program overlap(Program program, int depth);

}  // namespace phasor
