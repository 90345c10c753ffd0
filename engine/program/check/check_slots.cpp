#include "engine/program/access.h"
#include "engine/program/check/checks.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

class SlotChecker {
 public:
  explicit SlotChecker(const Program& program) : program_(program), slots_(program.slots.size(), SlotState::empty) {}

  void run() {
    for (Section section : kWalk) {
      for_each_step(program_, section, [&](int step) { check_step(step); });
      if (section == Section::end) check_all_read();
    }
  }

 private:
  enum class SlotState : std::uint8_t { empty, written, read };

  void check_all_read() const {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      ensure(slots_[slot] != SlotState::written, "program: nothing reads slot '{}' after its last write",
             program_.slots[slot]);
    }
  }

  void check_step(int number) {
    const Step& step = program_.steps[number];
    if (step.kind == StepKind::wait) return;  // no use of a value
    const StepPlace place{program_, number};
    const Access access = access_of(program_, step);
    for (int slot : access.reads()) {
      ensure(slots_[slot] != SlotState::empty, "program: {} reads slot '{}' before it is written", place,
             program_.slots[slot]);
      slots_[slot] = SlotState::read;
    }
    // A step may write several parts of a slot, which check_overwrites keeps apart.
    for (int slot : access.writes()) {
      ensure(slots_[slot] != SlotState::written, "program: {} overwrites slot '{}', which nothing has read", place,
             program_.slots[slot]);
    }
    for (int slot : access.writes()) slots_[slot] = SlotState::written;
  }

  const Program& program_;
  std::vector<SlotState> slots_;
};

}  // namespace

void check_slots(const Program& program) { SlotChecker(program).run(); }

}  // namespace phasor
