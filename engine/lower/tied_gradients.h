// How the gradients of tied variables reach the one that has the state.
#pragma once

#include "engine/lower/phase_builder.h"

namespace phasor {

// Where a part is resident, what tied variables read is sent to their device at the beginning of each step, from that
// of their owner: phases "tables".
void exchange_tables(const LoweringContext& context);

// Of reduced gradients, those that are updated: the gradient of a tied variable is stored for its owner's phase and
// left out, and an owner's has those of all variables that are tied to it added to it, in the order of stages. Each is
// reduced by itself before, so that the sum does not depend on who has which micro-batches. Those of other devices come
// through links.
VariableSlots join_tied(PhaseBuilder& phase, const VariableSlots& gradients);

// Sends the stored gradients of tied variables to the devices of their owners: phases "send tied".
void send_tied(const LoweringContext& context);

}  // namespace phasor
