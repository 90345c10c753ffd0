// The update of a phase: the optimizer on what the device holds of the variables' state, and on what it does not. A
// large variable passes through the device in slices, which stay in the caches between load, update and store, and take
// little room.
#pragma once

#include <concepts>
#include <span>

#include "engine/lower/phase_builder.h"
#include "engine/lower/units/update_graphs.h"

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

// A place in a slot.
struct SlotPlace {
  SlotId slot;
  std::int64_t offset = 0;  // in bytes
};

// Calls a graph of updates on slices of a phase's variables: what it loads before, and what it stores behind.
class UpdateSlices {
 public:
  // `present` lies on the device; the rest of the state passes through it.
  UpdateSlices(PhaseBuilder& phase, const DeviceState& present) : phase_(phase), present_(present) {}

  // Which graph, of what it reads and writes of each slice, and what else. A graph's inputs and outputs stand in the
  // order of the fields.
  struct Pass {
    const char* name;  // of its graphs
    Graph (*graph)(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options);
    std::span<const StateKind> reads;
    // What a graph reads of a slice that is no state, behind it; and what it writes.
    using Beside = std::vector<SlotPlace> (*)(PhaseBuilder& phase, const UpdateSlice& slice);
    Beside reads_beside = nullptr;
    bool clips = true, draws = true;
    std::span<const StateKind> writes;
    Beside writes_beside = nullptr;
    bool goes_on = false;  // an earlier pass has left whole variables on the device
    bool whole = false;    // of whole variables alone, whatever their size
  };

  UpdateSlice slice_of(int variable, std::int64_t first, std::int64_t elements) const;
  // Of those variables: small ones together, and large ones in slices, which are whole rows of matrices where the
  // variable's moments are factored.
  void run(const Pass& pass, const std::vector<int>& variables);

 private:
  // Where a slice's state of one kind lies during its update.
  struct Place {
    SlotId slot;
    std::int64_t offset = 0;  // in bytes, within the slot
    bool passes = false;      // is loaded before and stored after the update
  };
  void run_matrices(const Pass& pass, int variable, std::int64_t most);
  Place place_of(StateKind kind, const UpdateSlice& slice);
  Row row_of(StateKind kind, const UpdateSlice& slice);
  void add_numbers(const Pass& pass, const std::vector<UpdateSlice>& slices, std::vector<SlotId>& slots);
  void call(const Pass& pass, const std::string& name, const std::vector<UpdateSlice>& slices);

  PhaseBuilder& phase_;
  const DeviceState& present_;
};

// What the passes of an update hand on of a variable beside its state: sums, factors, ratios.
struct UpdateNumbers {
  const char* name;  // of their slots, before the variable's
  std::int64_t (*bytes)(const PlacedVariable& variable);
  bool outlive_phase = false;  // for passes in several phases; else each phase has its own
};

SlotId slot_of(PhaseBuilder& phase, const UpdateNumbers& numbers, int variable);

// All of them, beside any slice of the variable.
template <const UpdateNumbers& numbers>
std::vector<SlotPlace> all_of(PhaseBuilder& phase, const UpdateSlice& slice) {
  return {{.slot = slot_of(phase, numbers, slice.variable)}};
}

// Before the first pass that adds to them.
void zero(PhaseBuilder& phase, const UpdateNumbers& numbers, int variable);

// The variables of the phase that are updated here, of those that `chosen` says.
template <std::predicate<const PlacedVariable&> Chosen>
std::vector<int> updated_variables(const PhaseBuilder& phase, const Chosen& chosen) {
  std::vector<int> variables;
  for (int v = 0; v < phase.unit().count(); ++v) {
    const PlacedVariable& variable = phase.unit().variables[v];
    if (!variable.tied && !variable.frozen && chosen(variable)) variables.push_back(v);
  }
  return variables;
}

}  // namespace phasor
