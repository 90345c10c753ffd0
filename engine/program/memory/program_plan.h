// Where everything of a program lies in the device memory: one arena a replica, planned before it exists.
#pragma once

#include "engine/plan/memory_plan.h"
#include "engine/program/program.h"

namespace phasor {

struct ProgramPlan {
  std::vector<std::int64_t> slot_offsets;       // of each slot, in the arena
  std::vector<std::int64_t> workspace_offsets;  // of each graph's workspace, in the arena
  std::vector<MemoryPlan> workspaces;           // inside of each graph's workspace
  std::int64_t peak_bytes = 0;                  // the arena's size
  std::int64_t lower_bound_bytes = 0;           // no placement of these slots and workspaces needs less
};

// A slot lives from a step that writes it to the last step that reads what was written; one that carries a value from
// step to step lives always. `threads` is the size of a replica's team, on which kernels' scratch depends.
ProgramPlan plan_program(const Program& program, int threads, Strategy strategy = Strategy::best);

}  // namespace phasor
