// How the gradients of tied variables reach the one that has the state.
#pragma once

#include "engine/lower/phase_builder.h"

namespace phasor {

// Of reduced gradients, those that are updated: the gradient of a tied variable is stored for its owner's phase and
// left out, and an owner's has those of all variables that are tied to it added to it, in the order of stages. Each is
// reduced by itself before, so that the sum does not depend on who has which micro-batches.
VariableSlots join_tied(PhaseBuilder& phase, const VariableSlots& gradients);

}  // namespace phasor
