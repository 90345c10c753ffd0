// The phases of a program, and the order in which they come.
#pragma once

#include "engine/lower/phase_builder.h"

namespace phasor {

// Forward phases, gradient phases from the last unit to the first, each with its update; with clipping the updates come
// as a third pass, when the norm is known. The last unit makes the loss.
void write_training(const LoweringContext& context, const std::vector<LoweredUnit>& units);

// Forward phases alone; where the model is resident, its weights and what it carries are loaded before the first run,
// and what it carries is stored behind the last.
void write_inference(const LoweringContext& context, const std::vector<LoweredUnit>& units);

}  // namespace phasor
