// A unit's graph on one micro-batch: what it loads, the call, what it stores.
#pragma once

#include "engine/lower/phase_builder.h"

namespace phasor {

// The number of a unit's graph in the program, which has it under that name from now on.
GraphId add_graph(ProgramBuilder& builder, const std::string& name, GraphKind kind, const UnitGraph& graph);

// Calls `graph`, which has the number `number`, in the turn of micro-batch m. It adds its gradients to `sums`, if it
// makes some.
void call_micro_batch(PhaseBuilder& phase, const UnitGraph& graph, GraphId number, const GraphWeights& weights,
                      const VariableSlots& sums, int m);

}  // namespace phasor
