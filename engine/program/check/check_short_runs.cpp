#include <algorithm>

#include "engine/program/access.h"
#include "engine/program/check/checks.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

// How many micro-batches a run needs to have a step.
int least_of(const Step& step) { return std::max(1, step.micro_batch + 1); }

class ShortRunChecker {
 public:
  explicit ShortRunChecker(const Program& program) : program_(program), slots_(program.slots.size()) {
    for (const Buffer& buffer : program.buffers) {
      rows_.emplace_back(buffer.origin == Origin::host ? 0 : static_cast<std::size_t>(buffer.spec.rows));
    }
  }

  void run() {
    for (Section section : kWalk) {
      begin_section();
      for_each_step(program_, section, [&](int step) { check_step(step); });
    }
    for (std::int32_t slot = 0; slot < static_cast<std::int32_t>(slots_.size()); ++slot) expect_read(slot);
  }

 private:
  static constexpr int kNone = 0, kNever = 1 << 30;  // micro-batches
  // All in the least numbers of micro-batches of runs that have them.
  struct SlotState {
    int begun = kNever;     // the step that began the value
    int unread = kNone;     // of the writes that no step of all their runs has read, the first
    int under_way = kNone;  // of the transfers under way, the first
  };

  // Runs that follow one another need not be equally long: what passes between them is there in all.
  void begin_section() {
    for (std::size_t buffer = 0; buffer < rows_.size(); ++buffer) {
      if (program_.buffers[buffer].origin == Origin::state) std::ranges::fill(rows_[buffer], kNone);
    }
    for (std::int32_t slot = 0; slot < static_cast<std::int32_t>(slots_.size()); ++slot) {
      if (slots_[slot].begun > 1) slots_[slot].begun = kNever;
      if (slots_[slot].unread > 1) expect_read(slot);
    }
  }

  void check_step(int number) {
    const Step& step = program_.steps[number];
    const StepPlace place{program_, number};
    const int least = least_of(step);
    if (step.kind == StepKind::wait || is_transfer(step)) check_transfer(step, place);
    if (step.kind == StepKind::wait) return;  // no use of a value
    const Access access = access_of(program_, step);
    for (std::int32_t slot : access.reads()) check_read(slot, least, place);
    for (std::int32_t slot : access.writes()) note_write(slot, least, std::ranges::count(access.reads(), slot) > 0);
  }

  void check_read(std::int32_t slot, int least, StepPlace place) {
    SlotState& state = slots_[slot];
    ensure(state.begun <= least, "program: {} reads slot '{}' in runs that do not begin its value", place,
           program_.slots[slot]);
    if (least <= state.unread) state.unread = kNone;
  }

  void note_write(std::int32_t slot, int least, bool in_place) {
    SlotState& state = slots_[slot];
    if (!in_place) {
      expect_read(slot);
      state.begun = least;
    }
    state.unread = state.unread == kNone ? least : std::min(state.unread, least);
  }

  void expect_read(std::int32_t slot) const {
    ensure(slots_[slot].unread == kNone, "program: in runs of {} micro-batches nothing reads a write of slot '{}'",
           slots_[slot].unread, program_.slots[slot]);
  }

  void check_transfer(const Step& step, StepPlace place) {
    int& under_way = slots_[step.slot].under_way;
    const int least = least_of(step);
    if (step.kind == StepKind::wait) {
      ensure(least == under_way, "program: {} waits in runs of {} micro-batches, but slot '{}' moves in those of {}",
             place, least, program_.slots[step.slot], under_way);
      under_way = kNone;
      return;
    }
    check_row(step, place);
    if (step.issues) {
      under_way = under_way == kNone ? least : std::min(under_way, least);
      return;
    }
    ensure(under_way == kNone || least <= under_way,
           "program: {} ends the transfers of slot '{}' in runs of {} micro-batches, but they begin in those of {}",
           place, program_.slots[step.slot], least, under_way);
    under_way = kNone;
  }

  // The host's are always there, and so is state before its first store of the step.
  void check_row(const Step& step, StepPlace place) {
    const Origin origin = program_.buffers[step.buffer].origin;
    if (origin == Origin::host) return;
    int& row = rows_[step.buffer][step.row];
    if (origin == Origin::state && step.kind == StepKind::load && row == kNone) return;
    const int least = least_of(step);
    ensure(row == kNone || row == least,
           "program: {} uses row {} of buffer '{}' in runs of {} micro-batches, another step in those of {}", place,
           step.row, program_.buffers[step.buffer].spec.name, least, row);
    row = least;
  }

  const Program& program_;
  std::vector<SlotState> slots_;
  std::vector<std::vector<int>> rows_;  // of each buffer: the least micro-batches of the steps that use the row
};

}  // namespace

void check_short_runs(const Program& program) { ShortRunChecker(program).run(); }

}  // namespace phasor
