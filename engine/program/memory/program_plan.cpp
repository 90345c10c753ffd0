#include "engine/program/memory/program_plan.h"

#include "engine/program/distinct_phases.h"
#include "engine/program/memory/liveness.h"
#include "engine/runtime/executable.h"

namespace phasor {

ProgramPlan plan_program(const Program& program, int threads, Strategy strategy) {
  ProgramPlan plan;
  MemoryRequest request;
  for (const Slot& slot : program.slots) request.bytes.push_back(slot.arena_bytes());
  for (const NamedGraph& graph : program.graphs) {
    plan.workspaces.push_back(plan_workspace(graph.graph, threads, strategy));
    request.bytes.push_back(plan.workspaces.back().peak_bytes);
  }
  request.ranges = find_liveness(program, distinct_phases(program));
  MemoryPlan arena = plan_memory(request, strategy);
  const auto workspaces = arena.offsets.begin() + static_cast<std::ptrdiff_t>(program.slots.size());
  plan.slot_offsets.assign(arena.offsets.begin(), workspaces);
  plan.workspace_offsets.assign(workspaces, arena.offsets.end());
  plan.peak_bytes = arena.peak_bytes;
  plan.lower_bound_bytes = arena.lower_bound_bytes;
  return plan;
}

}  // namespace phasor
