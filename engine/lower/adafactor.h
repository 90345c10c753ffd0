// The update under Adafactor (kernels/optimizers/adafactor.h): sums over rows and columns of every slice of a variable,
// the factors of these, squares of the update, and then the weights. Variables are whole on each replica, and in one
// stage instance.
#pragma once

#include "engine/lower/phase_builder.h"

namespace phasor {

// Throws UserError where the units' variables are divided.
void check_adafactor(const LoweringContext& context);

// `present` as update() takes it.
void adafactor_update(PhaseBuilder& phase, const DeviceState& present);

}  // namespace phasor
