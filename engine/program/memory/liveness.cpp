#include "engine/program/memory/liveness.h"

#include <algorithm>

#include "engine/program/access.h"

namespace phasor {

namespace {

constexpr int kDead = -1;

// Backwards over the steps: a read makes a slot alive up to its writer, unless the writer updates it in place.
class Liveness {
 public:
  Liveness(const Program& program, const std::vector<Phase>& phases)
      : program_(program),
        phases_(phases),
        last_use_(program.slots.size(), kDead),
        follows_store_(program.steps.size(), false) {
    std::vector<bool> storing(program.slots.size(), false);
    for (const Phase& phase : phases) {
      for (int i = phase.first_step; i < phase.end_step; ++i) {
        const Step step = program.steps[i];
        if (step.kind == StepKind::load) follows_store_[i] = storing[step.slot];
        if (is_transfer(step) || step.kind == StepKind::wait) {
          storing[step.slot] = step.kind == StepKind::store && step.issues;
        }
      }
    }
  }

  std::vector<LiveRange> run() {
    std::vector<bool> carried(program_.slots.size(), false);
    const auto first = std::ranges::find(phases_, Section::step, &Phase::section);
    for (auto phase = phases_.end(); phase != phases_.begin();) {
      --phase;
      for (int step = phase->end_step - 1; step >= phase->first_step; --step) visit(step);
      if (phase != first) continue;
      for (std::size_t slot = 0; slot < carried.size(); ++slot) carried[slot] = last_use_[slot] != kDead;
    }
    for (std::size_t slot = 0; slot < carried.size(); ++slot) {
      ensure(carried[slot] || last_use_[slot] == kDead, "program: slot '{}' is read before it is written",
             program_.slots[slot]);
      if (carried[slot]) ranges_.push_back({static_cast<int>(slot), 0, static_cast<int>(program_.steps.size()) - 1});
    }
    return std::move(ranges_);
  }

 private:
  void visit(int number) {
    const Step step = program_.steps[number];
    const Access access = access_of(program_, step);
    for (int slot : access.writes()) {
      const int last = last_use_[slot] == kDead ? number : last_use_[slot];
      if (std::find(access.reads().begin(), access.reads().end(), slot) == access.reads().end()) {
        ranges_.push_back({slot, number, last});
        last_use_[slot] = kDead;
      } else {
        last_use_[slot] = last;
      }
    }
    if (follows_store_[number]) last_use_[step.slot] = number;
    for (int slot : access.reads()) {
      if (last_use_[slot] == kDead) last_use_[slot] = number;
    }
    if (step.kind == StepKind::call) {
      const int workspace = static_cast<int>(program_.slots.size()) + program_.calls[step.call].graph;
      ranges_.push_back({workspace, number, number});
    }
  }

  const Program& program_;
  const std::vector<Phase>& phases_;
  std::vector<int> last_use_;        // of each slot, looking backwards from the current step; kDead: not read later
  std::vector<bool> follows_store_;  // of each step: whether it loads a slot while a store of it is under way
  std::vector<LiveRange> ranges_;
};

}  // namespace

std::vector<LiveRange> find_liveness(const Program& program) { return find_liveness(program, program.phases); }

std::vector<LiveRange> find_liveness(const Program& program, const std::vector<Phase>& phases) {
  return Liveness(program, phases).run();
}

}  // namespace phasor
