#include "engine/program/mapping/map_rows.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "engine/base/tensor.h"
#include "engine/program/mapping/mapping_conflicts.h"

namespace phasor {

namespace {

// Buffer and number: programs of several devices number their buffers each for itself.
using StateRow = std::pair<std::string_view, std::int32_t>;
using StateRows = std::set<StateRow>;

StateRow name_of(const Program& program, const Step& transfer) {
  return {program.buffers[transfer.buffer].spec.name, transfer.row};
}

// What of variables and moments several devices use: messages tell them of loads and stores, not of calls.
StateRows find_shared_state(const Pipeline& pipeline) {
  std::map<StateRow, int> used_by;  // the first device that does
  StateRows shared;
  if (pipeline.size() == 1) return shared;
  for (const Program& program : pipeline.devices) {
    for (const Step step : program.steps) {
      if (!is_transfer(step) || program.buffers[step.buffer].origin != Origin::state) continue;
      const auto [first, is_new] = used_by.emplace(name_of(program, step), program.device);
      if (first->second != program.device) shared.insert(first->first);
    }
  }
  return shared;
}

bool is_aligned(std::int64_t bytes) { return bytes % kAlignment == 0; }

// Of activations whole rows, of state any part that a step of training or inference uses. What is resident, loaded
// before the first step and stored behind the last, is to lie on the device.
bool may_lie_there(const Program& program, const Phase& phase, const Step& transfer, const StateRows& shared) {
  if (program.buffers[transfer.buffer].origin == Origin::program) {
    return transfer.offset == 0 && program.slots[transfer.slot].content == Content::activations;
  }
  return phase.section == Section::step && is_aligned(transfer.offset) && !shared.contains(name_of(program, transfer));
}

// Of each buffer: whether it is the program's own or the state's, and kernels may use its rows as they lie, which
// follow one another without gaps.
std::vector<bool> find_candidates(const Program& program, const StateRows& shared) {
  std::vector<bool> candidates;
  for (const Buffer& buffer : program.buffers) {
    candidates.push_back(buffer.origin != Origin::host && is_aligned(buffer.spec.row.bytes()));
  }
  for (const Phase& phase : program.phases) {
    for (int i = phase.first_step; i < phase.end_step; ++i) {
      const Step step = program.steps[i];
      if (!is_transfer(step) || !candidates[step.buffer]) continue;
      candidates[step.buffer] = may_lie_there(program, phase, step, shared);
    }
  }
  return candidates;
}

// A slot is mapped that has to do with mapped buffers alone.
void map_slots(Program& program, const std::vector<bool>& buffers) {
  for (const bool is_mapped : {true, false}) {
    for (const Step step : program.steps) {
      if (is_transfer(step) && buffers[step.buffer] == is_mapped) program.slots[step.slot].mapped = is_mapped;
    }
  }
}

// Takes those out whose slots conflict; returns whether there are any.
bool exclude_conflicts(const Program& program, std::vector<bool>& buffers) {
  std::vector<bool> conflicts(program.slots.size(), false);
  for (const MappingConflict& conflict : find_mapping_conflicts(program)) conflicts[conflict.slot] = true;
  bool changes = false;
  for (const Step step : program.steps) {
    if (!is_transfer(step) || !conflicts[step.slot] || !buffers[step.buffer]) continue;
    buffers[step.buffer] = false;
    changes = true;
  }
  return changes;
}

void map_rows(Program& program, const StateRows& shared) {
  std::vector<bool> buffers = find_candidates(program, shared);
  do {
    map_slots(program, buffers);
  } while (exclude_conflicts(program, buffers));
}

}  // namespace

void map_rows(Pipeline& pipeline) {
  const StateRows shared = find_shared_state(pipeline);
  for (Program& program : pipeline.devices) map_rows(program, shared);
}

void map_as(const Program& whole, Program& narrow) {
  std::set<std::pair<std::string_view, std::string_view>> mapped;
  for (const Slot& slot : whole.slots) {
    if (slot.mapped) mapped.emplace(slot.phase, slot.name);
  }
  for (Slot& slot : narrow.slots) slot.mapped = mapped.contains({slot.phase, slot.name});
}

}  // namespace phasor
