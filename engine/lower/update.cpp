#include "engine/lower/update.h"

#include "engine/lower/lamb.h"
#include "engine/lower/update_slices.h"

namespace phasor {

namespace {

constexpr StateKind kReadStates[] = {StateKind::weight, StateKind::moment1, StateKind::moment2, StateKind::gradient};

// The variables that the optimizer changes in one pass.
std::vector<int> plain_variables(const PhaseBuilder& phase) {
  std::vector<int> plain;
  for (int v = 0; v < phase.unit().count(); ++v) {
    const PlacedVariable& variable = phase.unit().variables[v];
    if (!variable.tied && !variable.frozen && !adapts(phase.context(), variable)) plain.push_back(v);
  }
  return plain;
}

void update_plain(PhaseBuilder& phase, const DeviceState& present) {
  UpdateSlices(phase, present)
      .run({.name = "update", .graph = update_graph, .reads = kReadStates, .writes = kUpdatedStates},
           plain_variables(phase));
}

}  // namespace

std::int64_t elements_of_slice(std::int64_t elements, const ExecutionOptions& execution) {
  constexpr std::int64_t kMostSlices = 256;  // of a variable
  return execution.update_slice * (1 + (elements - 1) / (execution.update_slice * kMostSlices));
}

DeviceState resident_state(PhaseBuilder& phase) {
  DeviceState state;
  for (VariableSlots& slots : state) slots.resize(phase.unit().variables.size());
  if (!phase.context().resident()) return state;
  for (int kind = 0; kind < kStateKinds; ++kind) {
    for (int v = 0; v < phase.unit().count(); ++v) {
      const auto of = static_cast<StateKind>(kind);
      const PlacedVariable& variable = phase.unit().variables[v];
      if (variable.has(of) && !variable.tied && !variable.frozen) slots_of(state, of)[v] = phase.state_slot(of, v);
    }
  }
  return state;
}

DeviceState state_behind(PhaseBuilder& phase, const UnitGraph& graph, const VariableSlots& weights,
                         const VariableSlots& gradients) {
  DeviceState state = resident_state(phase);
  if (phase.context().resident()) return state;
  slots_of(state, StateKind::gradient) = gradients;
  for (const Port& port : graph.inputs) {
    if (port.role != Role::weight || phase.unit().variables[port.index].placement.rounds()) continue;
    if (phase.unit().variables[port.index].frozen) continue;
    // A table that another device updates is not stored from here.
    if (phase.unit().variables[port.index].tied && phase.context().devices() > 1) continue;
    slots_of(state, StateKind::weight)[port.index] = weights[port.index];
  }
  return state;
}

void update(PhaseBuilder& phase, const DeviceState& present) {
  update_plain(phase, present);
  if (adapts_over_phases(phase.context(), phase.unit())) {
    lamb_moments(phase, present);
  } else {
    lamb_begin(phase);
    lamb_moments(phase, present);
    lamb_ratios(phase);
    lamb_weights(phase, present, true);
  }
}

}  // namespace phasor
