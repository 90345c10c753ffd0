// Lets activations and state stay in remote memory that kernels can address: zero copy, as a transform of programs.
#pragma once

#include "engine/program/pipeline.h"

namespace phasor {

// Maps the slots that hold rows of a buffer, where these are the program's own activations, or variables and moments
// that pass through the device, kernels may use them as they lie, and the program does so soundly
// (mapping_conflicts.h):
//
//   before                        after
//     load    in[2] -> x            load    in[2] -> x  in place    from now on x is row 2
//     load    weights[1] -> w       load    weights[1] -> w  in place
//     call    add(x, w) -> y        call    add(x, w) -> y          writes row 2 of `out`
//     store   y -> out[2]           store   y -> out[2]  in place
//     call    update(w, g) -> w     call    update(w, g) -> w       changes row 1
//     store   w -> weights[1]       store   w -> weights[1]  in place
//
// The same computation, to the bit. What a program keeps on its device from step to step stays there, and so do rows of
// the state that several devices use. Programs are sound, issue nothing and run on a store in this process's memory.
void map_rows(Pipeline& pipeline);

// The same of a narrow program (check/check_narrow.cpp), whose rows are parts of those of the whole one: maps the slots
// that `whole` maps. Its transfers may be issued already.
void map_as(const Program& whole, Program& narrow);

}  // namespace phasor
