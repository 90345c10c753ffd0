// Lets activations stay in remote memory that kernels can address: zero copy, as a transform of the program.
#pragma once

#include "engine/program/program.h"

namespace phasor {

// Maps the slots that hold rows of a buffer, where these are the program's own activations, kernels may use them as
// they lie, and the program does so soundly (mapping_conflicts.h):
//
//   before                        after
//     load    in[2] -> x            load    in[2] -> x  in place    from now on x is row 2
//     call    add(x, w) -> y        call    add(x, w) -> y          writes row 2 of `out`
//     store   y -> out[2]           store   y -> out[2]  in place
//
// The same computation, to the bit. `program` is sound, issues nothing and runs on a store in this process's memory.
void map_rows(Program& program);

// The same of a narrow program (check/check_narrow.cpp), whose rows are parts of those of the whole one: maps the slots
// that `whole` maps. Its transfers may be issued already.
void map_as(const Program& whole, Program& narrow);

}  // namespace phasor
