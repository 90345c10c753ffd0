#include "engine/program/overlap/issue_transfers.h"

#include <algorithm>

#include "engine/program/access.h"
#include "engine/program/overlap/rewritten_steps.h"
#include "engine/program/overlap/webs.h"

namespace phasor {

namespace {

class IssueTransfers {
 public:
  IssueTransfers(Program program, OverlapDepth depth)
      : program_(std::move(program)),
        distance_(program_, depth),
        carried_(find_carried(program_)),
        under_way_(program_.slots.size()) {}

  Program run() {
    for (const Phase& phase : program_.phases) {
      steps_.begin_phase(phase);
      for (int i = phase.first_step; i < phase.end_step; ++i) visit(i);
      wait_for_stores(phase.end_step, {});
    }
    return std::move(steps_).in(std::move(program_));
  }

 private:
  enum class State : std::uint8_t { idle, loading, storing };
  struct Transfer {
    State state{};
    Queue queue{};
    int done = 0;  // in front of this step a store should be
    int micro_batch =
        -1;  // the first that transfers of the slot serve: in shorter runs than of that one there are none
  };

  void visit(int number) {
    Step step = program_.steps[number];
    const bool transfers = is_transfer(step);
    if (!transfers) wait_for_stores(number, step);
    const auto follows_in_queue = [&](std::int32_t slot) {
      return transfers && under_way_[slot].state == State::storing && under_way_[slot].queue == program_.queue_of(step);
    };
    const Access access = access_of(program_, step);
    for (std::int32_t slot : access.reads()) {
      if (under_way_[slot].state == State::loading) wait(slot, step);
      if (transfers && !follows_in_queue(slot)) wait(slot, step);
    }
    for (std::int32_t slot : access.writes()) {
      if (!follows_in_queue(slot)) wait(slot, step);
    }
    if (transfers && !carried_[step.slot] && !program_.slots[step.slot].mapped) {
      step.issues = true;
      const bool loads = step.kind == StepKind::load;
      std::erase(storing_, step.slot);
      if (!loads) storing_.push_back(step.slot);
      Transfer& transfer = under_way_[step.slot];
      const bool follows = transfer.state != State::idle;
      transfer = {.state = loads ? State::loading : State::storing,
                  .queue = program_.queue_of(step),
                  .done = loads ? 0 : distance_.latest(number),
                  .micro_batch = follows ? std::min(transfer.micro_batch, step.micro_batch) : step.micro_batch};
    }
    steps_.push_back(step);
  }

  // In the turn in which `next` stands, but of the micro-batch that the transfer serves.
  void wait(std::int32_t slot, const Step& next) {
    if (under_way_[slot].state == State::idle) return;
    steps_.push_back({.kind = StepKind::wait,
                      .slot = slot,
                      .micro_batch = under_way_[slot].micro_batch,
                      .turn = next.turn,
                      .loop = next.loop});
    under_way_[slot] = {};
    std::erase(storing_, slot);
  }

  // For those that should be done in front of a step.
  void wait_for_stores(int number, const Step& next) {
    const std::vector<std::int32_t> slots = storing_;
    for (std::int32_t slot : slots) {
      if (under_way_[slot].done <= number) wait(slot, next);
    }
  }

  Program program_;
  TransferDistance distance_;
  std::vector<bool> carried_;          // each slot
  std::vector<Transfer> under_way_;    // of each slot
  std::vector<std::int32_t> storing_;  // slots of which a store is under way, in the order of issue
  RewrittenSteps steps_;
};

}  // namespace

Program issue_transfers(Program program, OverlapDepth depth) { return IssueTransfers(std::move(program), depth).run(); }

}  // namespace phasor
