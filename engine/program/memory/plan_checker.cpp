#include "engine/program/memory/plan_checker.h"

#include <algorithm>

#include "engine/plan/occupancy.h"
#include "engine/plan/plan_bounds.h"
#include "engine/program/access.h"
#include "engine/program/walk.h"
#include "engine/runtime/executable.h"

namespace phasor {

namespace {

// Blocks are the slots, then the graphs' workspaces.
template <class T>
std::vector<T> joined(std::vector<T> slots, const std::vector<T>& workspaces) {
  slots.insert(slots.end(), workspaces.begin(), workspaces.end());
  return slots;
}

std::vector<std::int64_t> block_bytes(const Program& program, const ProgramPlan& plan) {
  std::vector<std::int64_t> bytes;
  for (const Slot& slot : program.slots) bytes.push_back(slot.arena_bytes());
  for (const MemoryPlan& workspace : plan.workspaces) bytes.push_back(workspace.peak_bytes);
  return bytes;
}

class PlanChecker {
 public:
  PlanChecker(const Program& program, const ProgramPlan& plan)
      : program_(program),
        occupancy_(joined(plan.slot_offsets, plan.workspace_offsets), block_bytes(program, plan)),
        storing_(program.slots.size(), false) {}

  void run() {
    for (Section section : kWalk) {
      for_each_step(program_, section, [&](int step) { check_step(step); });
    }
  }

 private:
  void check_step(int number) {
    const Step& step = program_.steps[number];
    const StepPlace place{program_, number};
    const Access access = access_of(program_, step);
    occupancy_.begin_moment();
    for (int slot : access.reads()) {
      expect_held(slot, place);
      take(slot, place);
    }
    // A store under way reads until whatever follows it in its queue begins.
    if (step.kind == StepKind::load && storing_[step.slot]) expect_held(step.slot, place);
    for (int slot : access.writes()) take(slot, place);
    if (step.kind == StepKind::call) {
      const int workspace = static_cast<int>(program_.slots.size()) + program_.calls[step.call].graph;
      take(workspace, place);
      occupancy_.write(workspace);
    }
    for (int slot : access.writes()) occupancy_.write(slot);
    if (is_transfer(step) || step.kind == StepKind::wait) {
      storing_[step.slot] = step.kind == StepKind::store && step.issues;
    }
  }

  void expect_held(int slot, StepPlace place) {
    ensure(occupancy_.holds(slot), "plan: {} needs slot '{}', part of which something else has overwritten", place,
           program_.slots[slot]);
  }

  void take(int block, StepPlace place) {
    const int other = occupancy_.take(block);
    if (other == Occupancy::kNobody) return;
    throw InternalError(fmt::format("plan: {} uses {} and {}, which overlap", place, name(block), name(other)));
  }

  std::string name(int block) const {
    const int graph = block - static_cast<int>(program_.slots.size());
    return graph < 0 ? fmt::format("slot '{}'", program_.slots[block])
                     : fmt::format("the workspace of graph '{}'", program_.graphs[graph].name);
  }

  const Program& program_;
  Occupancy occupancy_;
  std::vector<bool> storing_;  // of each slot: whether a store of it is under way
};

}  // namespace

void check_plan(const Program& program, const ProgramPlan& plan, int threads) {
  ensure(plan.workspaces.size() == program.graphs.size(), "plan: {} workspaces for {} graphs", plan.workspaces.size(),
         program.graphs.size());
  ensure(plan.slot_offsets.size() == program.slots.size(), "plan: {} offsets for {} slots", plan.slot_offsets.size(),
         program.slots.size());
  for (std::size_t graph = 0; graph < program.graphs.size(); ++graph) {
    check_workspace(program.graphs[graph].graph, threads, plan.workspaces[graph]);
  }
  check_bounds("plan", block_bytes(program, plan), joined(plan.slot_offsets, plan.workspace_offsets), plan.peak_bytes,
               plan.lower_bound_bytes);
  PlanChecker(program, plan).run();
}

}  // namespace phasor
