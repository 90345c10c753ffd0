#include "engine/program/memory/occupants.h"

#include <algorithm>

#include "engine/base/tensor.h"
#include "engine/program/memory/liveness.h"

namespace phasor {

std::vector<Occupant> find_occupants(const Program& program, const ProgramPlan& plan) {
  return find_occupants(program, plan, program.phases);
}

std::vector<Occupant> find_occupants(const Program& program, const ProgramPlan& plan,
                                     const std::vector<Phase>& phases) {
  std::vector<LiveRange> ranges = find_liveness(program, phases);
  std::ranges::sort(ranges, {}, [](const LiveRange& range) { return std::pair(range.block, range.begin); });
  const auto slots = static_cast<int>(program.slots.size());
  std::vector<Occupant> occupants;
  int block = -1;
  for (const LiveRange& range : ranges) {
    if (range.block == block && range.begin < occupants.back().end) {
      occupants.back().end = std::max(occupants.back().end, range.end + 1);
      continue;
    }
    block = range.block;
    const bool is_slot = block < slots;
    Occupant occupant{.begin = range.begin, .end = range.end + 1};
    (is_slot ? occupant.slot : occupant.graph) = is_slot ? block : block - slots;
    occupant.offset = is_slot ? plan.slot_offsets[block] : plan.workspace_offsets[block - slots];
    occupant.bytes = align_up(is_slot ? program.slots[block].arena_bytes() : plan.workspaces[block - slots].peak_bytes);
    occupants.push_back(occupant);
  }
  std::ranges::stable_sort(occupants, {}, &Occupant::begin);
  return occupants;
}

Content content_of(const Program& program, const Occupant& occupant) {
  return occupant.slot < 0 ? Content::workspace : program.slots[occupant.slot].content;
}

std::vector<FullestMoment> fullest_moments(std::span<const Occupant> occupants, const std::vector<Phase>& phases) {
  std::vector<std::pair<int, std::int64_t>> changes;  // in front of a step, of occupied bytes
  for (const Occupant& occupant : occupants) {
    changes.emplace_back(occupant.begin, occupant.bytes);
    changes.emplace_back(occupant.end, -occupant.bytes);
  }
  std::ranges::sort(changes);  // what ends somewhere stands in front of what begins there
  std::vector<FullestMoment> moments;
  std::int64_t bytes = 0;
  auto change = changes.begin();
  const auto go_to = [&](int step) {
    for (; change != changes.end() && change->first <= step; ++change) bytes += change->second;
  };
  for (const Phase& phase : phases) {
    go_to(phase.first_step);
    FullestMoment moment{.step = phase.first_step, .bytes = phase.first_step < phase.end_step ? bytes : 0};
    while (change != changes.end() && change->first < phase.end_step) {
      const int step = change->first;
      go_to(step);
      if (bytes > moment.bytes) moment = {.step = step, .bytes = bytes};
    }
    moments.push_back(moment);
  }
  return moments;
}

}  // namespace phasor
