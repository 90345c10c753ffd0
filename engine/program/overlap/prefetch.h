// Moves loads up, in front of the compute that runs while they do.
#pragma once

#include "engine/program/overlap/transfer_distance.h"

namespace phasor {

// Every load moves to where TransferDistance of this depth wants it, but not over a store of its row. Where the value
// before is still in use by then, a slot falls into copies: one for each value that is in use at a time, up to
// one more than the depth. A load waits for the last use of the value before it in its copy. Transfers are not under
// way in `program` nor in the result.
Program prefetch(Program program, OverlapDepth depth);

}  // namespace phasor
