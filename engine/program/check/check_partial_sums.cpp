#include "engine/program/access.h"
#include "engine/program/check/checks.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

class PartialSumChecker {
 public:
  explicit PartialSumChecker(const Program& program) : program_(program), leaves_(program.slots.size()) {}

  void run() {
    for (Section section : kWalk) {
      for_each_step(program_, section, [&](int step) { check_step(step); });
    }
  }

 private:
  void check_step(int number) {
    const Step& step = program_.steps[number];
    const StepPlace place{program_, number};
    if (step.kind == StepKind::add_leaf) {
      int& leaves = leaves_[step.target];
      if (step.micro_batch == 0) leaves = 0;
      ensure(leaves == step.micro_batch, "program: {} adds leaf {} to slot '{}', which holds {}", place,
             step.micro_batch, program_.slots[step.target], leaves);
      ++leaves;
      return;
    }
    ensure(!step.partials || leaves_[step.slot] == program_.micro_batches,
           "program: {} sums over {} leaves a replica, but slot '{}' holds {}", place, program_.micro_batches,
           program_.slots[step.slot], leaves_[step.slot]);
    const Access access = access_of(program_, step);
    for (int slot : access.writes()) leaves_[slot] = 0;
  }

  const Program& program_;
  std::vector<int> leaves_;  // whose partial sums each slot holds, 0 where it holds something else
};

}  // namespace

void check_partial_sums(const Program& program) { PartialSumChecker(program).run(); }

}  // namespace phasor
