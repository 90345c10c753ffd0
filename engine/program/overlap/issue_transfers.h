// Takes transfers off the program's thread.
#pragma once

#include "engine/program/overlap/transfer_distance.h"

namespace phasor {

// Loads and stores only issue; waits follow where the program needs them: for a load in front of the slot's first use,
// for a store where TransferDistance of this depth wants it done, or in front of an earlier write of the slot that is
// not a load through the same queue. Slots that carry values from section to section keep transfers that are done at
// once. No transfers are under way in `program`.
Program issue_transfers(Program program, OverlapDepth depth);

}  // namespace phasor
