// The update of a phase: what it loads of the variables' state, calls and stores. A large variable passes through the
// device in slices, which stay in the caches between load, Adam and store, and take little room.
#include <algorithm>

#include "engine/lower/unit_lowering.h"

namespace phasor {

namespace {

constexpr StateKind kReadStates[] = {StateKind::weight, StateKind::moment1, StateKind::moment2, StateKind::gradient};

// So that the program of a large model stays short.
constexpr std::int64_t kMostSlices = 256;  // of a variable

std::int64_t elements_of_slice(std::int64_t elements, std::int64_t wanted) {
  return wanted * (1 + (elements - 1) / (wanted * kMostSlices));
}

// Slices of one length share a graph where it does the same to them.
std::string slice_graph(const std::string& unit, const UpdateSlice& slice) {
  if (slice.placement.stores == DType::bf16) {  // random rounding knows the place of each element
    return fmt::format("{}.update.{}.{}", unit, slice.name, slice.first);
  }
  return fmt::format("update{}{}{}", slice.elements, slice.decays ? ".decays" : "",
                     slice.placement.rounds() ? ".rounds" : "");
}

}  // namespace

void UnitLowering::update(const UnitGraph* computed, int n) {
  std::vector<UpdateSlice> small;
  for (int i = 0; i < static_cast<int>(variables_.size()); ++i) {
    const std::int64_t elements = placements_[i].local_elements;
    const std::int64_t most = elements_of_slice(elements, execution_.update_slice);
    if (resident_ || elements <= most) {
      small.push_back(update_slice(i, 0, elements));
      continue;
    }
    builder_.begin_loop();
    for (std::int64_t first = 0; first < elements; first += most) {
      builder_.set_turn(static_cast<int>(first / most));
      const UpdateSlice slice = update_slice(i, first, std::min(most, elements - first));
      update_slices(slice_graph(unit_.name, slice), {slice}, computed, n);
    }
    builder_.set_turn(-1);
  }
  if (!small.empty()) update_slices(unit_.name + ".update", small, computed, n);
  if (resident_ || computed == nullptr) return;
  for (int i = 0; i < static_cast<int>(variables_.size()); ++i) {
    const std::vector<StateKind> present = present_states(i, computed);
    if (std::ranges::find(present, StateKind::weight) != present.end()) store_state(StateKind::weight, i, n);
  }
}

UpdateSlice UnitLowering::update_slice(int index, std::int64_t first, std::int64_t elements) const {
  const VariableState& v = variables_[index];
  return {.variable = index,
          .name = v.variable.name,
          .decays = v.variable.decays,
          .placement = v.placement,
          .draw = v.draw,
          .first = first,
          .elements = elements};
}

std::vector<StateKind> UnitLowering::present_states(int index, const UnitGraph* computed) const {
  if (resident_) return {kReadStates[0], kReadStates[1], kReadStates[2], kReadStates[3], StateKind::rounded};
  if (computed == nullptr) return {};
  // A weight that was only packed has given its room away: it comes back in slices.
  const bool is_read = std::ranges::any_of(
      computed->inputs, [&](const Port& port) { return port.role == Role::weight && port.index == index; });
  if (is_read && !placements_[index].rounds()) return {StateKind::gradient, StateKind::weight};
  return {StateKind::gradient};
}

UnitLowering::UpdatePlace UnitLowering::update_place(StateKind kind, const UpdateSlice& slice,
                                                     const std::vector<StateKind>& present) {
  if (std::ranges::find(present, kind) != present.end()) {
    return {.slot = state_slot(kind, slice.variable), .offset = slice.offset(kind), .passes = false};
  }
  if (slice.is_whole()) return {.slot = state_slot(kind, slice.variable), .offset = 0, .passes = true};
  // Shared by all slices of that size, whichever variable they belong to.
  return {
      .slot = slot(fmt::format("{}.slice{}", state_name(kind), slice.bytes(kind)), content_of(kind), slice.bytes(kind)),
      .offset = 0,
      .passes = true};
}

void UnitLowering::update_slices(const std::string& graph, const std::vector<UpdateSlice>& slices,
                                 const UnitGraph* computed, int n) {
  std::vector<std::int32_t> slots;
  std::vector<std::int64_t> offsets;
  const auto add = [&](const UpdatePlace& place) {
    slots.push_back(place.slot);
    offsets.push_back(place.offset);
  };
  for (const UpdateSlice& slice : slices) {
    for (StateKind kind : kReadStates) {
      const UpdatePlace place = update_place(kind, slice, present_states(slice.variable, computed));
      if (place.passes) {
        builder_.load(state_buffer_of(kind, slice.variable), variables_[slice.variable].row + n, place.slot,
                      slice.offset(kind));
      }
      add(place);
    }
  }
  add({.slot = loaded(builder_.buffer(buffers_.adam_step(), Origin::host), 0, "adam_step", Content::batch)});
  if (optimizer_.max_grad_norm > 0) add({.slot = clip_slot(builder_)});
  for (int k = 0; k < count_positions(slices); ++k) {
    add({.slot =
             loaded(builder_.buffer(buffers_.update_position(stage_instances_), Origin::host),
                    resident_ ? k : unit_.first_instance + n, fmt::format("update_position{}", k), Content::batch)});
  }

  struct Stored {
    UpdatePlace place;
    int buffer, row;
    std::int64_t offset;
  };
  std::vector<Stored> stored;
  for (const UpdateSlice& slice : slices) {
    for (StateKind kind : kUpdatedStates) {
      if (!exists(kind, slice.variable)) continue;
      const UpdatePlace place = update_place(kind, slice, present_states(slice.variable, computed));
      add(place);
      if (!place.passes) continue;
      stored.push_back(
          {place, state_buffer_of(kind, slice.variable), variables_[slice.variable].row + n, slice.offset(kind)});
    }
  }
  if (!builder_.has_graph(graph)) builder_.graph(graph, GraphKind::update, update_graph(slices, optimizer_));
  builder_.call(builder_.graph(graph), std::move(slots), std::move(offsets));
  for (const Stored& s : stored) builder_.store(s.place.slot, s.buffer, s.row, s.offset);
}

}  // namespace phasor
