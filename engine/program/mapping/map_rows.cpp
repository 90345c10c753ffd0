#include "engine/program/mapping/map_rows.h"

#include <set>
#include <string_view>
#include <utility>

#include "engine/base/tensor.h"
#include "engine/program/mapping/mapping_conflicts.h"

namespace phasor {

namespace {

// Rows follow one another without gaps.
bool is_aligned(const TensorSpec& row) { return row.bytes() % kAlignment == 0; }

// Of each buffer: whether its rows are activations of the program's own, which kernels may use as they lie.
std::vector<bool> find_candidates(const Program& program) {
  std::vector<bool> candidates;
  for (const Buffer& buffer : program.buffers) {
    candidates.push_back(buffer.origin == Origin::program && is_aligned(buffer.spec.row));
  }
  for (const Step step : program.steps) {
    if (!is_transfer(step)) continue;
    const bool is_whole = step.offset == 0 && program.slots[step.slot].content == Content::activations;
    if (!is_whole) candidates[step.buffer] = false;
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

}  // namespace

void map_rows(Program& program) {
  std::vector<bool> buffers = find_candidates(program);
  do {
    map_slots(program, buffers);
  } while (exclude_conflicts(program, buffers));
}

void map_as(const Program& whole, Program& narrow) {
  std::set<std::pair<std::string_view, std::string_view>> mapped;
  for (const Slot& slot : whole.slots) {
    if (slot.mapped) mapped.emplace(slot.phase, slot.name);
  }
  for (Slot& slot : narrow.slots) slot.mapped = mapped.contains({slot.phase, slot.name});
}

}  // namespace phasor
