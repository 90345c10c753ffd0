#include "models/report/memory_profile.h"

#include <algorithm>
#include <numeric>

#include "engine/program/memory/held_bytes.h"

namespace phasor::run {

namespace {

std::int64_t total_bytes(const BytesByContent& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

std::vector<PhaseProfile> profile_phases(const Program& program, int first_step) {
  std::vector<PhaseProfile> profiles;
  for (const Phase& phase : program.phases) {
    if (phase.section != Section::step) continue;
    if (profiles.empty() || profiles.back().name != phase.name) {
      profiles.push_back({.name = phase.name, .first_step = phase.first_step - first_step});
    }
    PhaseProfile& profile = profiles.back();
    ++profile.instances;
    profile.end_step = phase.end_step - first_step;
    for (int i = phase.first_step; i < phase.end_step; ++i) {
      const Step& step = program.steps[static_cast<std::size_t>(i)];
      if (step.kind == StepKind::load) profile.loaded_bytes += program.slots[step.slot].bytes;
      if (step.kind == StepKind::store) profile.stored_bytes += program.slots[step.slot].bytes;
    }
  }
  return profiles;
}

}  // namespace

MemoryProfile profile_memory(const Program& program, const ProgramPlan& plan, int samples) {
  int first = -1, end = 0;
  for (const Phase& phase : program.phases) {
    if (phase.section != Section::step) continue;
    if (first < 0) first = phase.first_step;
    end = phase.end_step;
  }
  MemoryProfile profile{.steps = end - first, .phases = profile_phases(program, first), .samples = {}};
  const std::vector<BytesByContent> alive = held_bytes(program, find_occupants(program, plan));
  const int count = std::min(samples, profile.steps);
  for (std::int64_t sample = 0; sample < count; ++sample) {
    const auto begin = static_cast<int>(sample * profile.steps / count);
    const auto next = static_cast<int>((sample + 1) * profile.steps / count);
    const auto most = std::max_element(
        alive.begin() + first + begin, alive.begin() + first + next,
        [](const BytesByContent& a, const BytesByContent& b) { return total_bytes(a) < total_bytes(b); });
    profile.samples.push_back({.first = begin, .bytes = *most});
  }
  return profile;
}

}  // namespace phasor::run
