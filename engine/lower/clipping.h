// The norm of the whole model's gradient, and the factor that clips it. Sums over sharded variables are the replica's
// own until they are gathered.
#pragma once

#include "engine/lower/phase_builder.h"

namespace phasor {

// Of the program: the factor that updates read.
SlotId clip_slot(ProgramBuilder& builder);

// The phase "norm": sums of squares begin at zero.
void begin_norm(const LoweringContext& context);
// Adds the squares of a phase's gradients.
void add_square_sums(PhaseBuilder& phase, const VariableSlots& gradients);
// The phase "clip": the factor of the sums.
void clip_phase(const LoweringContext& context);

}  // namespace phasor
