// What a step keeps in device memory and moves, phase by phase, as the plan has it: exact, without running anything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/program/memory/occupants.h"

namespace phasor::run {

// Phases of one name in a row. Steps are counted from the first of a training step.
struct PhaseProfile {
  std::string name;
  int instances = 0;
  int first_step = 0, end_step = 0;
  std::int64_t loaded_bytes = 0, stored_bytes = 0;  // by a replica
};

// Bytes of a replica's arena that are alive from step `first` on, until the next sample.
struct MemorySample {
  int first = 0;
  BytesByContent bytes{};
};

struct MemoryProfile {
  int steps = 0;  // of the program in a training step
  std::vector<PhaseProfile> phases;
  std::vector<MemorySample> samples;
};

// At most `samples` samples, each the step with the most bytes alive among those that it stands for.
MemoryProfile profile_memory(const Program& program, const ProgramPlan& plan, int samples = 1024);

}  // namespace phasor::run
