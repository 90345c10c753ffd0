// Lets transfers run beside compute: prefetch, write-behind and double-buffered rows, as a transform of the program.
#pragma once

#include "engine/program/overlap/transfer_distance.h"

namespace phasor {

// The same computation, to the bit, on the same rows. Loads are issued depth.phases phases ahead, those of
// turns depth.calls calls ahead (prefetch.h); stores are waited for as much later (issue_transfers.h). It costs the
// device memory of up to as many more copies of a slot. Depth 0 changes nothing. `program` is sound and issues nothing.
Program overlap(Program program, OverlapDepth depth);

}  // namespace phasor
