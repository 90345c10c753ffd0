#include "engine/program/named_phases.h"

#include <algorithm>

namespace phasor {

std::vector<NamedPhases> phases_by_name(const Program& program) {
  std::vector<NamedPhases> all;
  for (int number = 0; number < static_cast<int>(program.phases.size()); ++number) {
    const Phase& phase = program.phases[number];
    if (phase.section != Section::step) continue;
    auto named = std::ranges::find(all, phase.name, &NamedPhases::name);
    if (named == all.end()) named = all.insert(named, {.name = phase.name, .phases = {}});
    named->phases.push_back(number);
    for (int i = phase.first_step; i < phase.end_step; ++i) {
      const Step& step = program.steps[i];
      if (!is_transfer(step) || program.slots[step.slot].mapped) continue;
      (step.kind == StepKind::load ? named->loaded_bytes : named->stored_bytes) += program.slots[step.slot].bytes;
    }
  }
  return all;
}

}  // namespace phasor
