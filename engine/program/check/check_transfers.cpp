#include "engine/program/access.h"
#include "engine/program/check/checks.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

class TransferChecker {
 public:
  explicit TransferChecker(const Program& program) : program_(program), under_way_(program.slots.size()) {}

  void run(Section section) {
    for_each_step(program_, section, [&](int step) { check_step(step); });
    for (std::size_t slot = 0; slot < under_way_.size(); ++slot) {
      ensure(under_way_[slot].none(), "program: nothing waits for the transfer of slot '{}' in its section",
             program_.slots[slot]);
    }
  }

 private:
  // The transfers of a slot that are under way.
  struct Transfers {
    bool loading = false, storing = false;
    Queue queue{};
    bool none() const { return !loading && !storing; }
  };

  void check_step(int number) {
    const Step& step = program_.steps[number];
    const StepPlace place{program_, number};
    if (step.kind == StepKind::wait) {
      ensure(!under_way_[step.slot].none(), "program: {} waits for slot '{}', of which no transfer is under way", place,
             program_.slots[step.slot]);
      under_way_[step.slot] = {};
      return;
    }
    const Access access = access_of(program_, step);
    for (int slot : access.reads()) {
      ensure(!under_way_[slot].loading, "program: {} reads slot '{}' before a wait for its load", place,
             program_.slots[slot]);
    }
    for (int slot : access.writes()) {
      ensure(!under_way_[slot].loading, "program: {} writes slot '{}' before a wait for its load", place,
             program_.slots[slot]);
      ensure(!under_way_[slot].storing || step.kind == StepKind::load,
             "program: {} writes slot '{}' before a wait for its store", place, program_.slots[slot]);
    }
    if (is_transfer(step)) note_transfer(step, place);
  }

  void note_transfer(const Step& step, StepPlace place) {
    Transfers& transfers = under_way_[step.slot];
    const Queue queue = program_.queue_of(step);
    ensure(transfers.none() || transfers.queue == queue,
           "program: {} transfers slot '{}' before a wait for its transfer through another queue", place,
           program_.slots[step.slot]);
    transfers =
        step.issues
            ? Transfers{.loading = step.kind == StepKind::load, .storing = step.kind == StepKind::store, .queue = queue}
            : Transfers{};
  }

  const Program& program_;
  std::vector<Transfers> under_way_;  // of each slot
};

}  // namespace

void check_transfers(const Program& program) {
  TransferChecker checker(program);
  for (Section section : {Section::begin, Section::step, Section::end}) checker.run(section);
}

}  // namespace phasor
