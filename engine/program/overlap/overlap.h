// Lets transfers run beside compute: prefetch, write-behind and double-buffered rows, as a transform of the program.
#pragma once

#include "engine/program/overlap/transfer_distance.h"

namespace phasor {

// At depth 1, what becomes of a turn of a loop (tests/engine/program/overlap/overlap_test.cpp):
//
//   before                        after
//   repeat  i = 0 .. 5            repeat  i = 2
//     load    in[2] -> x            load    in[3] -> x#1  issue    of the next turn, in the copy that is free
//     call    add(x, w) -> y        wait    y#0, x#0               for the store of turn 0, the load that turn 1 issued
//     store   y -> out[2]           call    add(x#0, w) -> y#0
//                                   store   y#0 -> out[2]  issue   turn 4 will wait for it
//
// What a phase needs once moves in the same way, by phases instead of calls.
// The same computation, to the bit, on the same rows. Loads are issued depth.phases phases ahead, those of
// turns depth.calls calls ahead (prefetch.h); stores are waited for as much later (issue_transfers.h). It costs the
// device memory of up to as many more copies of a slot. Depth 0 changes nothing. `program` is sound and issues nothing.
Program overlap(Program program, OverlapDepth depth);

}  // namespace phasor
