#include "engine/program/occupants.h"

#include <algorithm>

#include "engine/base/tensor.h"
#include "engine/program/liveness.h"

namespace phasor {

std::vector<Occupant> find_occupants(const Program& program, const ProgramPlan& plan) {
  std::vector<LiveRange> ranges = find_liveness(program);
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
    occupant.bytes = align_up(is_slot ? program.slots[block].bytes : plan.workspaces[block - slots].peak_bytes);
    occupants.push_back(occupant);
  }
  std::ranges::stable_sort(occupants, {}, &Occupant::begin);
  return occupants;
}

std::vector<FullestMoment> fullest_moments(std::span<const Occupant> occupants, const std::vector<Phase>& phases) {
  const int steps = phases.empty() ? 0 : phases.back().end_step;
  std::vector<std::int64_t> change(static_cast<std::size_t>(steps) + 1, 0);  // of occupied bytes, in front of each step
  for (const Occupant& occupant : occupants) {
    change[occupant.begin] += occupant.bytes;
    change[occupant.end] -= occupant.bytes;
  }
  std::vector<FullestMoment> moments;
  std::int64_t bytes = 0;
  for (const Phase& phase : phases) {
    FullestMoment moment{.step = phase.first_step};
    for (int step = phase.first_step; step < phase.end_step; ++step) {
      bytes += change[step];
      if (bytes > moment.bytes) moment = {.step = step, .bytes = bytes};
    }
    moments.push_back(moment);
  }
  return moments;
}

}  // namespace phasor
