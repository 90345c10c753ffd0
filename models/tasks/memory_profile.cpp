#include "models/tasks/memory_profile.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/base/tensor.h"
#include "engine/program/liveness.h"

namespace phasor::tasks {

const char* const kMemoryKindNames[kMemoryKinds] = {"weights",     "optimizer state", "gradients",
                                                    "activations", "batch",           "workspace"};

namespace {

// By how the rest of a name begins, behind the phase and the slash.
struct NamedKind {
  const char* beginning;
  MemoryKind kind;
};
constexpr NamedKind kNamedKinds[] = {{"gathered.g.", MemoryKind::gradients}, {"gathered.", MemoryKind::weights},
                                     {"packed", MemoryKind::weights},        {"g.", MemoryKind::gradients},
                                     {"sum", MemoryKind::gradients},         {"square_sum", MemoryKind::gradients},
                                     {"clip", MemoryKind::gradients}};

MemoryKind kind_by_name(const std::string& slot) {
  const std::string name = slot.substr(slot.find('/') + 1);
  for (const auto& [beginning, kind] : kNamedKinds) {
    if (name.starts_with(beginning)) return kind;
  }
  return MemoryKind::activations;
}

MemoryKind kind_by_buffer(const Buffer& buffer) {
  if (buffer.spec.name.ends_with(".gradient")) return MemoryKind::gradients;
  if (buffer.origin == Origin::host) return MemoryKind::batch;
  if (buffer.origin == Origin::program) return MemoryKind::activations;
  const std::string& name = buffer.spec.name;
  return name.ends_with(".moment1") || name.ends_with(".moment2") ? MemoryKind::optimizer : MemoryKind::weights;
}

using KindBytes = std::array<std::int64_t, kMemoryKinds>;

// Of each step of the program.
std::vector<KindBytes> bytes_alive(const Program& program, const ProgramPlan& plan) {
  const std::vector<MemoryKind> kinds = kinds_of_slots(program);
  std::vector<KindBytes> changes(program.steps.size() + 1, KindBytes{});
  for (const LiveRange& range : find_liveness(program)) {
    const auto block = static_cast<std::size_t>(range.block);
    const bool is_slot = block < kinds.size();
    const auto kind = static_cast<std::size_t>(is_slot ? kinds[block] : MemoryKind::workspace);
    const std::int64_t bytes =
        align_up(is_slot ? program.slots[block].bytes : plan.workspaces[block - kinds.size()].peak_bytes);
    changes[static_cast<std::size_t>(range.begin)][kind] += bytes;
    changes[static_cast<std::size_t>(range.end) + 1][kind] -= bytes;
  }
  for (std::size_t step = 1; step < changes.size(); ++step) {
    for (std::size_t kind = 0; kind < kMemoryKinds; ++kind) changes[step][kind] += changes[step - 1][kind];
  }
  changes.pop_back();
  return changes;
}

std::int64_t total_bytes(const KindBytes& bytes) {
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

std::vector<MemoryKind> kinds_of_slots(const Program& program) {
  std::vector<MemoryKind> kinds;
  for (const Slot& slot : program.slots) kinds.push_back(kind_by_name(slot.name));
  for (const Step& step : program.steps) {
    if (is_transfer(step)) kinds[static_cast<std::size_t>(step.slot)] = kind_by_buffer(program.buffers[step.buffer]);
  }
  return kinds;
}

MemoryProfile profile_memory(const Program& program, const ProgramPlan& plan, int samples) {
  int first = -1, end = 0;
  for (const Phase& phase : program.phases) {
    if (phase.section != Section::step) continue;
    if (first < 0) first = phase.first_step;
    end = phase.end_step;
  }
  MemoryProfile profile{.steps = end - first, .phases = profile_phases(program, first), .samples = {}};
  const std::vector<KindBytes> alive = bytes_alive(program, plan);
  const int count = std::min(samples, profile.steps);
  for (std::int64_t sample = 0; sample < count; ++sample) {
    const auto begin = static_cast<int>(sample * profile.steps / count);
    const auto next = static_cast<int>((sample + 1) * profile.steps / count);
    const auto most =
        std::max_element(alive.begin() + first + begin, alive.begin() + first + next,
                         [](const KindBytes& a, const KindBytes& b) { return total_bytes(a) < total_bytes(b); });
    profile.samples.push_back({.first = begin, .bytes = {}});
    std::ranges::copy(*most, profile.samples.back().bytes);
  }
  return profile;
}

}  // namespace phasor::tasks
