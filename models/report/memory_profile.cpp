#include "models/report/memory_profile.h"

#include <algorithm>
#include <numeric>

#include "engine/program/memory/held_bytes.h"
#include "engine/program/named_phases.h"

namespace phasor::run {

namespace {

std::int64_t total_bytes(const BytesByContent& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

std::vector<PhaseProfile> profile_phases(const Program& program, int first_step) {
  std::vector<PhaseProfile> profiles;
  for (const NamedPhases& named : phases_by_name(program)) {
    profiles.push_back({.name = named.name,
                        .instances = static_cast<int>(named.phases.size()),
                        .first_step = program.phases[named.phases.front()].first_step - first_step,
                        .end_step = program.phases[named.phases.back()].end_step - first_step,
                        .loaded_bytes = named.loaded_bytes,
                        .stored_bytes = named.stored_bytes});
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
