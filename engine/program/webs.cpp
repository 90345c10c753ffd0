#include "engine/program/webs.h"

#include <algorithm>

namespace phasor {

namespace {

bool contains(const std::vector<std::int32_t>& slots, std::int32_t slot) {
  return std::ranges::find(slots, slot) != slots.end();
}

// Whether a section uses the slot's value before it writes one.
std::vector<bool> find_carried(const Program& program) {
  std::vector<bool> carried(program.slots.size(), false), written;
  for (std::size_t p = 0; p < program.phases.size(); ++p) {
    const Phase& phase = program.phases[p];
    if (p == 0 || phase.section != program.phases[p - 1].section) written.assign(program.slots.size(), false);
    for (int i = phase.first_step; i < phase.end_step; ++i) {
      const Access access = access_of(program, program.steps[i]);
      for (int slot : access.reads) {
        if (!written[slot]) carried[slot] = true;
      }
      for (int slot : access.writes) written[slot] = true;
    }
  }
  return carried;
}

}  // namespace

Webs find_webs(const Program& program) {
  const std::vector<bool> carried = find_carried(program);
  Webs result;
  result.uses.resize(program.steps.size());
  std::vector<int> current(program.slots.size(), -1);  // the web of each slot
  for (int i = 0; i < static_cast<int>(program.steps.size()); ++i) {
    const Access access = access_of(program, program.steps[i]);
    std::vector<int>& uses = result.uses[i];
    const auto use = [&](std::int32_t slot) {
      if (std::ranges::find(uses, current[slot]) != uses.end()) return;
      uses.push_back(current[slot]);
      result.webs[current[slot]].steps.push_back(i);
    };
    for (std::int32_t slot : access.reads) {
      if (!carried[slot]) use(slot);
    }
    for (std::int32_t slot : access.writes) {
      if (carried[slot]) continue;
      if (!contains(access.reads, slot)) {
        current[slot] = static_cast<int>(result.webs.size());
        result.webs.push_back({slot, {}});
      }
      use(slot);
    }
  }
  return result;
}

}  // namespace phasor
