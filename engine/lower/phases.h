// The phases of a device's program, and the order in which they come.
#pragma once

#include "engine/lower/phase_builder.h"

namespace phasor {

// What the device does of a training step, by its schedule (schedule.h): forward phases, and gradient phases from the
// last instance to the first, each with its update; with clipping the updates come as a third pass, when the norm is
// known. The last unit makes the loss. Where micro-batches come in several groups, gradients are reduced, and variables
// updated, behind the last.
void write_training(const LoweringContext& context);

// Its forward phases alone, by the same schedule; where its part is resident, the weights and what it carries are
// loaded before the first run, and what it carries is stored behind the last.
void write_inference(const LoweringContext& context);

}  // namespace phasor
