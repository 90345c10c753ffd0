#include "engine/program/overlap/webs.h"

#include <algorithm>

#include "engine/program/access.h"

namespace phasor {

namespace {

bool contains(std::span<const std::int32_t> slots, std::int32_t slot) {
  return std::ranges::find(slots, slot) != slots.end();
}

}  // namespace

std::vector<bool> find_carried(const Program& program) {
  std::vector<bool> carried(program.slots.size(), false), written;
  for (std::size_t p = 0; p < program.phases.size(); ++p) {
    const Phase& phase = program.phases[p];
    if (p == 0 || phase.section != program.phases[p - 1].section) written.assign(program.slots.size(), false);
    for (int i = phase.first_step; i < phase.end_step; ++i) {
      const Access access = access_of(program, program.steps[i]);
      for (int slot : access.reads()) {
        if (!written[slot]) carried[slot] = true;
      }
      for (int slot : access.writes()) written[slot] = true;
    }
  }
  return carried;
}

namespace {

// What a program of very many steps would else copy again and again.
void reserve(const Program& program, Webs& result) {
  std::size_t uses = 0, writes = 0;
  for (const Step& step : program.steps) {
    const Access access = access_of(program, step);
    uses += access.reads().size() + access.writes().size();
    writes += access.writes().size();
  }
  result.used.reserve(uses);
  result.webs.reserve(writes);
}

}  // namespace

Webs find_webs(const Program& program) {
  const std::vector<bool> carried = find_carried(program);
  Webs result;
  reserve(program, result);
  result.begins.reserve(program.steps.size() + 1);
  std::vector<int> current(program.slots.size(), -1);  // the web of each slot
  for (int i = 0; i < static_cast<int>(program.steps.size()); ++i) {
    result.begins.push_back(static_cast<std::int32_t>(result.used.size()));
    const Step step = program.steps[i];
    const Access access = access_of(program, step);
    const auto use = [&](std::int32_t slot) {
      const auto own = result.used.begin() + result.begins.back();
      if (std::find(own, result.used.end(), current[slot]) != result.used.end()) return;
      result.used.push_back(current[slot]);
      Web& web = result.webs[current[slot]];
      web.last = i;
      if (step.kind == StepKind::store) web.last_store = i;
    };
    for (std::int32_t slot : access.reads()) {
      if (!carried[slot]) use(slot);
    }
    for (std::int32_t slot : access.writes()) {
      if (carried[slot]) continue;
      if (!contains(access.reads(), slot)) {
        current[slot] = static_cast<int>(result.webs.size());
        result.webs.push_back({.slot = slot, .first = i});
      }
      use(slot);
    }
  }
  result.begins.push_back(static_cast<std::int32_t>(result.used.size()));
  return result;
}

}  // namespace phasor
