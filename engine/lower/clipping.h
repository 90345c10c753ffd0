// The norm of the whole model's gradient, and the factor that clips it. Sums over sharded variables are the replica's
// own until they are gathered.
#pragma once

#include "engine/lower/phase_builder.h"

namespace phasor {

// Of the program: the factor that updates read.
SlotId clip_slot(ProgramBuilder& builder);

// Sums of squares go from device to device, from the last to the first, each of which adds its own: they are exact, so
// that their order does not show. The factor goes back.

// The phase "norm": sums of squares begin at zero, on the last device.
void begin_norm(const LoweringContext& context);
// Within a phase, or in one of its own: what the next device has summed.
void receive_norm(const LoweringContext& context);
// Adds the squares of a phase's gradients.
void add_square_sums(PhaseBuilder& phase, const VariableSlots& gradients);
// The phase "send norm": to the device before.
void send_norm(const LoweringContext& context);
// The phase "clip": on the first device the factor of the sums. `updates`: the device reads it, `goes_on`: the next
// gets it.
void clip_phase(const LoweringContext& context, bool updates, bool goes_on);

}  // namespace phasor
