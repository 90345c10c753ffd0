#include "engine/program/check/checks.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

class PartialSumChecker {
 public:
  explicit PartialSumChecker(const Program& program) : program_(program), sums_(program.slots.size()) {}

  void run() {
    for (Section section : kWalk) {
      for_each_step(program_, section, [&](int step) { check_step(step); });
    }
  }

 private:
  // What a slot holds: the partial sums of so many of a replica's leaves, or, with none, something else.
  struct Sums {
    int added = 0, leaves = 0;
  };

  void check_step(int number) {
    const Step& step = program_.steps[number];
    const StepPlace place{program_, number};
    if (step.kind == StepKind::add_leaf) {
      Sums& sums = sums_[step.target];
      if (step.leaf == 0) sums = {.added = 0, .leaves = step.leaves};
      ensure(sums.leaves == step.leaves && sums.added == step.leaf,
             "program: {} adds leaf {} of {} to slot '{}', which holds {} of {}", place, step.leaf, step.leaves,
             program_.slots[step.target].name, sums.added, sums.leaves);
      ++sums.added;
      return;
    }
    const bool reduces = step.kind == StepKind::reduce_scatter || step.kind == StepKind::all_reduce;
    if (reduces && step.leaves > 1) {
      const Sums& sums = sums_[step.slot];
      ensure(sums.leaves == step.leaves && sums.added == step.leaves,
             "program: {} sums over {} leaves a replica, but slot '{}' holds {} of {}", place, step.leaves,
             program_.slots[step.slot].name, sums.added, sums.leaves);
    }
    for (int slot : access_of(program_, step).writes) sums_[slot] = {};
  }

  const Program& program_;
  std::vector<Sums> sums_;  // of each slot
};

}  // namespace

void check_partial_sums(const Program& program) { PartialSumChecker(program).run(); }

}  // namespace phasor
