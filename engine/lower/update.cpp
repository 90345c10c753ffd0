#include "engine/lower/update.h"

#include <algorithm>

#include "engine/lower/clipping.h"
#include "engine/lower/units/update_graphs.h"

namespace phasor {

namespace {

constexpr StateKind kReadStates[] = {StateKind::weight, StateKind::moment1, StateKind::moment2, StateKind::gradient};

// Slices of one length share a graph where it does the same to them.
std::string slice_graph(const std::string& unit, const UpdateSlice& slice) {
  if (slice.placement.stores == DType::bf16) {  // random rounding knows the place of each element
    return fmt::format("{}.update.{}.{}", unit, slice.name, slice.first);
  }
  return fmt::format("update{}{}{}", slice.elements, slice.decays ? ".decays" : "",
                     slice.placement.rounds() ? ".rounds" : "");
}

class Update {
 public:
  Update(PhaseBuilder& phase, const DeviceState& present) : phase_(phase), present_(present) {}

  void run() {
    std::vector<UpdateSlice> small;
    for (int v = 0; v < phase_.unit().count(); ++v) {
      if (phase_.unit().variables[v].tied) continue;
      const std::int64_t elements = phase_.unit().variables[v].placement.local_elements;
      const std::int64_t most = elements_of_slice(elements, phase_.context().execution);
      if (phase_.context().resident() || elements <= most) {
        small.push_back(slice_of(v, 0, elements));
      } else {
        update_in_slices(v, most);
      }
    }
    if (!small.empty()) update_slices(phase_.unit().unit.name + ".update", small);
  }

 private:
  // Where a slice's state of one kind lies during its update.
  struct Place {
    SlotId slot;
    std::int64_t offset = 0;  // in bytes, within the slot
    bool passes = false;      // is loaded before and stored after the update
  };

  UpdateSlice slice_of(int v, std::int64_t first, std::int64_t elements) const {
    const PlacedVariable& variable = phase_.unit().variables[v];
    return {.variable = v,
            .name = variable.name,
            .decays = variable.decays,
            .placement = variable.placement,
            .draw = variable.draw,
            .first = first,
            .elements = elements};
  }

  void update_in_slices(int v, std::int64_t most) {
    const std::int64_t elements = phase_.unit().variables[v].placement.local_elements;
    phase_.builder().begin_loop();
    for (std::int64_t first = 0; first < elements; first += most) {
      const auto turn = phase_.builder().turn(static_cast<int>(first / most));
      const UpdateSlice slice = slice_of(v, first, std::min(most, elements - first));
      update_slices(slice_graph(phase_.unit().unit.name, slice), {slice});
    }
  }

  Place place_of(StateKind kind, const UpdateSlice& slice) {
    const SlotId present = slots_of(present_, kind)[slice.variable];
    if (present.valid()) return {.slot = present, .offset = slice.offset(kind), .passes = false};
    if (slice.is_whole()) return {.slot = phase_.state_slot(kind, slice.variable), .offset = 0, .passes = true};
    // Shared by all slices of that size, whichever variable they belong to.
    const std::int64_t bytes = slice.bytes(kind);
    return {
        .slot = phase_.slot(fmt::format("{}.slice{}", state_info(kind).slot, bytes), state_info(kind).content, bytes),
        .offset = 0,
        .passes = true};
  }

  Row row_of(StateKind kind, const UpdateSlice& slice) {
    Row row = phase_.state_row(kind, slice.variable);
    row.offset = slice.offset(kind);
    return row;
  }

  // What the host and the clip factor tell every update of the step.
  void add_numbers(const std::vector<UpdateSlice>& slices, std::vector<SlotId>& slots) {
    const LoweringContext& context = phase_.context();
    slots.push_back(phase_.load("adam_step", Content::batch, {phase_.host_buffer(context.buffers.adam_step())}));
    if (context.clips()) slots.push_back(clip_slot(context.builder));
    for (int k = 0; k < count_positions(slices); ++k) {
      const BufferId positions = phase_.host_buffer(context.buffers.update_position(context.stage_instances));
      const int instance = context.resident() ? k : phase_.unit().unit.first_instance + phase_.instance();
      slots.push_back(phase_.load(fmt::format("update_position{}", k), Content::batch, {positions, instance}));
    }
  }

  void update_slices(const std::string& name, const std::vector<UpdateSlice>& slices) {
    ProgramBuilder& builder = phase_.builder();
    std::vector<SlotId> slots;
    std::vector<std::int64_t> offsets;
    const auto add = [&](const Place& place) {
      slots.push_back(place.slot);
      offsets.resize(slots.size());
      offsets.back() = place.offset;
    };
    for (const UpdateSlice& slice : slices) {
      for (StateKind kind : kReadStates) {
        const Place place = place_of(kind, slice);
        if (place.passes) builder.load(row_of(kind, slice), place.slot);
        add(place);
      }
    }
    add_numbers(slices, slots);
    std::vector<std::pair<SlotId, Row>> stores;
    for (const UpdateSlice& slice : slices) {
      for (StateKind kind : kUpdatedStates) {
        if (!phase_.unit().variables[slice.variable].has(kind)) continue;
        const Place place = place_of(kind, slice);
        add(place);
        if (place.passes) stores.emplace_back(place.slot, row_of(kind, slice));
      }
    }
    GraphId graph = builder.find_graph(name);
    if (!graph.valid()) {
      graph = builder.graph(name, GraphKind::update, update_graph(slices, phase_.context().optimizer));
    }
    builder.call(graph, slots, std::move(offsets));
    for (const auto& [slot, row] : stores) builder.store(slot, row);
  }

  PhaseBuilder& phase_;
  const DeviceState& present_;
};

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
      if (variable.has(of) && !variable.tied) slots_of(state, of)[v] = phase.state_slot(of, v);
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
    slots_of(state, StateKind::weight)[port.index] = weights[port.index];
  }
  return state;
}

void update(PhaseBuilder& phase, const DeviceState& present) { Update(phase, present).run(); }

}  // namespace phasor
