#include "engine/lower/update_slices.h"

#include <algorithm>

#include "engine/lower/clipping.h"
#include "engine/lower/update.h"

namespace phasor {

namespace {

// Slices of one length share a graph where it does the same to them.
std::string slice_graph(const std::string& unit, const char* pass, const UpdateSlice& slice) {
  if (slice.placement.stores == DType::bf16) {  // random rounding knows the place of each element
    return fmt::format("{}.{}.{}.{}", unit, pass, slice.name, slice.first);
  }
  return fmt::format("{}{}{}{}", pass, slice.elements, slice.decays ? ".decays" : "",
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
    const std::int64_t elements = phase_.unit().variables[v].placement.local_elements;
    const std::int64_t most = elements_of_slice(elements, phase_.context().execution);
    if (phase_.context().resident() || elements <= most) {
      small.push_back(slice_of(v, 0, elements));
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
  for (const UpdateSlice& slice : slices) {
    const bool is_there = pass.goes_on && slice.is_whole();
    for (StateKind kind : pass.reads) {
      if (!phase_.unit().variables[slice.variable].has(kind)) continue;
      const Place place = place_of(kind, slice);
      if (place.passes && !is_there) builder.load(row_of(kind, slice), place.slot);
      add(place);
    }
    if (pass.beside) add({.slot = pass.beside(phase_, slice.variable)});
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
    if (pass.writes_beside) add({.slot = pass.beside(phase_, slice.variable)});
  }
  GraphId graph = builder.find_graph(name);
  if (!graph.valid()) graph = builder.graph(name, GraphKind::update, pass.graph(slices, phase_.context().optimizer));
  builder.call(graph, slots, std::move(offsets));
  for (const auto& [slot, row] : stores) builder.store(slot, row);
}

}  // namespace phasor
