#include "engine/program/liveness.h"

#include <algorithm>

namespace phasor {

namespace {

constexpr int kDead = -1;

// Backwards over the steps: a read makes a slot alive up to its writer, unless the writer updates it in place.
class Liveness {
 public:
  explicit Liveness(const Program& program)
      : program_(program), last_use_(program.slots.size(), kDead), follows_store_(program.steps.size(), false) {
    std::vector<bool> storing(program.slots.size(), false);
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      const Step& step = program.steps[i];
      if (step.kind == StepKind::load) follows_store_[i] = storing[step.slot];
      if (is_transfer(step) || step.kind == StepKind::wait) {
        storing[step.slot] = step.kind == StepKind::store && step.issues;
      }
    }
  }

  std::vector<LiveRange> run() {
    int section_start = static_cast<int>(program_.steps.size());
    for (auto phase = program_.phases.rbegin(); phase != program_.phases.rend(); ++phase) {
      if (phase->section == Section::step) section_start = phase->first_step;
    }
    std::vector<bool> carried(program_.slots.size(), false);
    for (int step = static_cast<int>(program_.steps.size()) - 1; step >= 0; --step) {
      visit(step);
      if (step == section_start) {
        for (std::size_t slot = 0; slot < carried.size(); ++slot) carried[slot] = last_use_[slot] != kDead;
      }
    }
    for (std::size_t slot = 0; slot < carried.size(); ++slot) {
      ensure(carried[slot] || last_use_[slot] == kDead, "program: slot '{}' is read before it is written",
             program_.slots[slot].name);
      if (carried[slot]) ranges_.push_back({static_cast<int>(slot), 0, static_cast<int>(program_.steps.size()) - 1});
    }
    return std::move(ranges_);
  }

 private:
  void visit(int number) {
    const Step& step = program_.steps[number];
    const Access access = access_of(program_, step);
    for (int slot : access.writes) {
      const int last = last_use_[slot] == kDead ? number : last_use_[slot];
      if (std::find(access.reads.begin(), access.reads.end(), slot) == access.reads.end()) {
        ranges_.push_back({slot, number, last});
        last_use_[slot] = kDead;
      } else {
        last_use_[slot] = last;
      }
    }
    if (follows_store_[number]) last_use_[step.slot] = number;
    for (int slot : access.reads) {
      if (last_use_[slot] == kDead) last_use_[slot] = number;
    }
    if (step.kind == StepKind::call) {
      const int workspace = static_cast<int>(program_.slots.size()) + program_.calls[step.call].graph;
      ranges_.push_back({workspace, number, number});
    }
  }

  const Program& program_;
  std::vector<int> last_use_;        // of each slot, looking backwards from the current step; kDead: not read later
  std::vector<bool> follows_store_;  // of each step: whether it loads a slot while a store of it is under way
  std::vector<LiveRange> ranges_;
};

}  // namespace

std::vector<LiveRange> find_liveness(const Program& program) { return Liveness(program).run(); }

}  // namespace phasor
