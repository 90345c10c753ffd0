#include "engine/program/checks.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

class RowChecker {
 public:
  explicit RowChecker(const Program& program) : program_(program) {}

  // A section by itself: what a step stores is nothing to the next one.
  void run(Section section) {
    rows_.clear();
    for (const Buffer& buffer : program_.buffers) rows_.emplace_back(static_cast<std::size_t>(buffer.spec.rows));
    for_each_step(program_, section, [&](int step) {
      if (is_transfer(program_.steps[step])) check_row(step);
    });
  }

 private:
  enum class RowState : std::uint8_t { untouched, stored, loaded };

  void check_row(int number) {
    const Step& step = program_.steps[number];
    const Buffer& buffer = program_.buffers[step.buffer];
    const StepPlace place{program_, number};
    RowState& row = rows_[step.buffer][step.row];
    if (step.kind == StepKind::load) {
      ensure(row != RowState::untouched || buffer.origin != Origin::program,
             "program: {} loads row {} of buffer '{}' before it is stored", place, step.row, buffer.spec.name);
      row = RowState::loaded;
      return;
    }
    ensure(buffer.origin != Origin::host, "program: {} stores to '{}', the host's", place, buffer.spec.name);
    ensure(row == RowState::untouched || buffer.origin != Origin::program,
           "program: {} stores row {} of buffer '{}' a second time", place, step.row, buffer.spec.name);
    ensure(row != RowState::stored,
           "program: {} stores row {} of buffer '{}', which nothing has loaded since its store", place, step.row,
           buffer.spec.name);
    row = RowState::stored;
  }

  const Program& program_;
  std::vector<std::vector<RowState>> rows_;  // of each buffer, in this section
};

}  // namespace

void check_rows(const Program& program) {
  RowChecker checker(program);
  for (Section section : {Section::begin, Section::step, Section::end}) checker.run(section);
}

}  // namespace phasor
