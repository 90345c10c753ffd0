// The update under LAMB (kernels/optimizers/lamb.h): moments and sums of all parts of a variable, wherever they lie,
// then its ratio, then its weights. Variables that weight decay leaves out, biases and norms, are updated as by Adam:
// their lengths say nothing.
#pragma once

#include "engine/lower/phase_builder.h"

namespace phasor {

// Whether a variable's step is as long as its weights are large.
bool adapts(const LoweringContext& context, const PlacedVariable& variable);
// Whether the variables' parts are updated by several phases, each with a slice of a sliced unit.
bool adapts_over_phases(const LoweringContext& context, const LoweredUnit& unit);

// The two halves of an update, of all of the phase's variables that adapt.
void lamb_moments(PhaseBuilder& phase, const DeviceState& present);
void lamb_weights(PhaseBuilder& phase, const DeviceState& present, bool goes_on);
// Between them, within the phase.
void lamb_begin(PhaseBuilder& phase);
void lamb_ratios(PhaseBuilder& phase);

// Around the phases that update a unit's instances, of one that adapts over them: its sums, its ratios, its weights.
void begin_adapting(const LoweringContext& context, const LoweredUnit& unit);
void end_adapting(const LoweringContext& context, const LoweredUnit& unit);
// Where the weights lie that an update within such a phase has changed.
VariableSlots updated_weights(const LoweringContext& context, const LoweredUnit& unit, const DeviceState& state);

}  // namespace phasor
