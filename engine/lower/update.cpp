#include "engine/lower/update.h"

#include <algorithm>

#include "engine/lower/adafactor.h"
#include "engine/lower/clipping.h"
#include "engine/lower/lamb.h"

namespace phasor {

namespace {

constexpr StateKind kReadStates[] = {StateKind::weight, StateKind::moment1, StateKind::moment2, StateKind::gradient};

// The variables that the optimizer changes in one pass.
std::vector<int> plain_variables(const PhaseBuilder& phase) {
  return updated_variables(phase, [&](const PlacedVariable& variable) { return !adapts(phase.context(), variable); });
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
  if (phase.context().optimizer.kind == OptimizerKind::adafactor) return adafactor_update(phase, present);
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

namespace {

// Slices of one length share a graph where it does the same to them.
std::string slice_graph(const std::string& unit, const char* pass, const UpdateSlice& slice) {
  if (slice.placement.stores == DType::bf16) {  // random rounding knows the place of each element
    return fmt::format("{}.{}.{}.{}", unit, pass, slice.name, slice.first);
  }
  const Matrices& matrices = slice.placement.matrices;
  const std::string of = matrices.count > 0 ? fmt::format(".of{}x{}", matrices.rows, matrices.columns) : "";
  return fmt::format("{}{}{}{}{}", pass, slice.elements, of, slice.decays ? ".decays" : "",
                     slice.placement.rounds() ? ".rounds" : "");
}

}  // namespace

UpdateSlice UpdateSlices::slice_of(int v, std::int64_t first, std::int64_t elements) const {
  const PlacedVariable& variable = phase_.unit().variables[v];
  return {.variable = v,
          .name = variable.name,
          .decays = variable.decays,
          .placement = variable.placement,
          .draw = variable.draw,
          .first = first,
          .elements = elements};
}

void UpdateSlices::run(const Pass& pass, const std::vector<int>& variables) {
  const std::string& unit = phase_.unit().unit.name;
  std::vector<UpdateSlice> small;
  for (int v : variables) {
    const Placement& placement = phase_.unit().variables[v].placement;
    const std::int64_t elements = placement.local_elements;
    const std::int64_t most =
        phase_.context().resident() ? elements : elements_of_slice(elements, phase_.context().execution);
    if (pass.whole || (elements <= most && placement.matrices.count <= 1)) {
      small.push_back(slice_of(v, 0, elements));
      continue;
    }
    if (placement.matrices.count > 0) {
      run_matrices(pass, v, most);
      continue;
    }
    phase_.builder().begin_loop();
    for (std::int64_t first = 0; first < elements; first += most) {
      const auto turn = phase_.builder().turn(static_cast<int>(first / most));
      const UpdateSlice slice = slice_of(v, first, std::min(most, elements - first));
      call(pass, slice_graph(unit, pass.name, slice), {slice});
    }
  }
  if (!small.empty()) call(pass, fmt::format("{}.{}", unit, pass.name), small);
}

void UpdateSlices::run_matrices(const Pass& pass, int v, std::int64_t most) {
  const Matrices& matrices = phase_.unit().variables[v].placement.matrices;
  const std::int64_t rows = std::clamp<std::int64_t>(most / matrices.columns, 1, matrices.rows);
  int count = 0;
  phase_.builder().begin_loop();
  for (std::int64_t matrix = 0; matrix < matrices.count; ++matrix) {
    for (std::int64_t row = 0; row < matrices.rows; row += rows) {
      const auto turn = phase_.builder().turn(count++);
      const std::int64_t elements = std::min(rows, matrices.rows - row) * matrices.columns;
      const UpdateSlice slice = slice_of(v, (matrix * matrices.rows + row) * matrices.columns, elements);
      call(pass, slice_graph(phase_.unit().unit.name, pass.name, slice), {slice});
    }
  }
}

UpdateSlices::Place UpdateSlices::place_of(StateKind kind, const UpdateSlice& slice) {
  const SlotId present = slots_of(present_, kind)[slice.variable];
  if (present.valid()) return {.slot = present, .offset = slice.offset(kind), .passes = false};
  if (slice.is_whole()) return {.slot = phase_.state_slot(kind, slice.variable), .offset = 0, .passes = true};
  // Shared by all slices of that size, whichever variable they belong to.
  const std::int64_t bytes = slice.bytes(kind);
  return {.slot = phase_.slot(fmt::format("{}.slice{}", state_info(kind).slot, bytes), state_info(kind).content, bytes),
          .offset = 0,
          .passes = true};
}

Row UpdateSlices::row_of(StateKind kind, const UpdateSlice& slice) {
  Row row = phase_.state_row(kind, slice.variable);
  row.offset = slice.offset(kind);
  return row;
}

// What the host and the clip factor tell every update of the step.
void UpdateSlices::add_numbers(const Pass& pass, const std::vector<UpdateSlice>& slices, std::vector<SlotId>& slots) {
  const LoweringContext& context = phase_.context();
  const int first = phase_.unit().unit.first_instance + phase_.instance();
  const BufferId step = phase_.host_buffer(context.step_buffer());
  const bool one_rate = context.optimizer.layer_decay == 1;
  for (int k = 0; k < count_steps(slices, context.optimizer); ++k) {
    const int row = one_rate ? 0 : context.resident() ? first + k : first;
    slots.push_back(phase_.load(one_rate ? "adam_step" : fmt::format("adam_step{}", k), Content::batch, {step, row}));
  }
  if (pass.clips && context.clips()) slots.push_back(clip_slot(context.builder));
  for (int k = 0; pass.draws && k < count_positions(slices); ++k) {
    const BufferId positions = phase_.host_buffer(context.buffers.update_position(context.stage_instances));
    const int instance = context.resident() ? first + k : first;
    slots.push_back(phase_.load(fmt::format("update_position{}", k), Content::batch, {positions, instance}));
  }
}

void UpdateSlices::call(const Pass& pass, const std::string& name, const std::vector<UpdateSlice>& slices) {
  ProgramBuilder& builder = phase_.builder();
  std::vector<SlotId> slots;
  std::vector<std::int64_t> offsets;
  const auto add = [&](const Place& place) {
    slots.push_back(place.slot);
    offsets.resize(slots.size());
    offsets.back() = place.offset;
  };
  const auto add_beside = [&](Pass::Beside beside, const UpdateSlice& slice) {
    if (!beside) return;
    for (const SlotPlace& place : beside(phase_, slice)) add({.slot = place.slot, .offset = place.offset});
  };
  for (const UpdateSlice& slice : slices) {
    const bool is_there = pass.goes_on && slice.is_whole();
    for (StateKind kind : pass.reads) {
      if (!phase_.unit().variables[slice.variable].has(kind)) continue;
      const Place place = place_of(kind, slice);
      if (place.passes && !is_there) builder.load(row_of(kind, slice), place.slot);
      add(place);
    }
    add_beside(pass.reads_beside, slice);
  }
  add_numbers(pass, slices, slots);
  std::vector<std::pair<SlotId, Row>> stores;
  for (const UpdateSlice& slice : slices) {
    for (StateKind kind : pass.writes) {
      if (!phase_.unit().variables[slice.variable].has(kind)) continue;
      const Place place = place_of(kind, slice);
      add(place);
      if (place.passes) stores.emplace_back(place.slot, row_of(kind, slice));
    }
    add_beside(pass.writes_beside, slice);
  }
  GraphId graph = builder.find_graph(name);
  if (!graph.valid()) graph = builder.graph(name, GraphKind::update, pass.graph(slices, phase_.context().optimizer));
  builder.call(graph, slots, std::move(offsets));
  for (const auto& [slot, row] : stores) builder.store(slot, row);
}

SlotId slot_of(PhaseBuilder& phase, const UpdateNumbers& numbers, int v) {
  const LoweredUnit& unit = phase.unit();
  const PlacedVariable& variable = unit.variables[v];
  const std::int64_t bytes = numbers.bytes(variable);
  if (!numbers.outlive_phase) {
    return phase.slot(fmt::format("{}.{}", numbers.name, variable.name), Content::batch, bytes);
  }
  return phase.builder().slot({.name = fmt::format("{}.{}.{}", numbers.name, unit.unit.name, variable.name),
                               .content = Content::batch,
                               .bytes = bytes});
}

void zero(PhaseBuilder& phase, const UpdateNumbers& numbers, int v) {
  phase.builder().zero(slot_of(phase, numbers, v));
}

}  // namespace phasor
