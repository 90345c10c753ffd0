// The update of a phase: the optimizer on what the device holds of the variables' state, and on what it does not. A
// large variable passes through the device in slices, which stay in the caches between load, update and store, and take
// little room.
#pragma once

#include "engine/lower/phase_builder.h"

namespace phasor {

// Of so many elements of a variable, those that pass through the device at a time: a multiple of update_slice, so that
// the program of a large model stays short.
std::int64_t elements_of_slice(std::int64_t elements, const ExecutionOptions& execution);

// The state of a resident unit; nothing of others.
DeviceState resident_state(PhaseBuilder& phase);

// What lies on the device when a phase has made gradients with `graph`, for which it has loaded `weights`: of a unit
// that is not resident the gradients and the weights, but for those that were only packed, whose room others have by
// then, those that are rounded copies, and those that are frozen.
DeviceState state_behind(PhaseBuilder& phase, const UnitGraph& graph, const VariableSlots& weights,
                         const VariableSlots& gradients);

// `present` lies on the device. What is missing of it is loaded for the update, and stored behind it where it changed.
// Weights that are present have then changed in their slots, and so has all of a resident unit's state. Of a unit that
// adapts over phases (lamb.h) what adapts has its new moments alone.
void update(PhaseBuilder& phase, const DeviceState& present);

}  // namespace phasor
