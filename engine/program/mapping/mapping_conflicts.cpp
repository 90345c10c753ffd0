#include "engine/program/mapping/mapping_conflicts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/program/access.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

// Walks over the steps and remembers, of rows, which value they hold by now and, of mapped slots, which they should.
class MappedRows {
 public:
  explicit MappedRows(const Program& program) : program_(program), values_(program.slots.size()) {
    for (const Buffer& buffer : program.buffers) {
      first_rows_.push_back(rows_.size());
      rows_.resize(rows_.size() + static_cast<std::size_t>(buffer.spec.rows));
    }
  }

  std::vector<MappingConflict> run() {
    check_buffers();
    for (Section section : kWalk) for_each_step(program_, section, [&](int step) { visit(step); });
    return std::move(conflicts_);
  }

 private:
  struct RowState {
    std::int64_t used = -1;  // when the value in it was loaded, stored, read or updated last
    int value = 0;           // counts what is stored, and updates
    bool ahead = false;      // an update has changed it, and the store that should is yet to come
  };
  struct SlotValue {
    std::int64_t row = -1;     // in which it lies; -1: none is known, or there is no value
    std::int64_t offset = -1;  // there
    int value = -1;            // that the row should hold
    std::int64_t made = -1;    // when, or updated
    int step = -1;             // by which step
  };

  bool mapped(std::int32_t slot) const { return program_.slots[slot].mapped; }
  std::int64_t row_of(const Step& step) const { return static_cast<std::int64_t>(first_rows_[step.buffer]) + step.row; }

  void report(std::int32_t slot, int step, const char* what) {
    conflicts_.push_back({slot, fmt::format("{} {}", StepPlace{program_, step}, what)});
  }

  void check_buffers() {
    std::vector<std::int32_t> copied(program_.buffers.size(), -1);  // of each buffer: a step that does
    for (int i = 0; i < static_cast<int>(program_.steps.size()); ++i) {
      const Step step = program_.steps[i];
      if (is_transfer(step) && !mapped(step.slot)) copied[step.buffer] = i;
    }
    for (const Step step : program_.steps) {
      if (!is_transfer(step) || !mapped(step.slot) || copied[step.buffer] < 0) continue;
      report(step.slot, copied[step.buffer], "copies a row of its buffer");
      copied[step.buffer] = -1;  // has been told
    }
  }

  void visit(int number) {
    ++now_;
    const Step step = program_.steps[number];
    const Access access = access_of(program_, step);
    if (step.kind == StepKind::receive) {
      for (const std::int32_t slot : unstored_) report(slot, number, "may tell another device of its row too early");
    }
    for (const std::int32_t slot : access.reads()) {
      if (mapped(slot)) read(number, slot);
    }
    if (is_transfer(step) && mapped(step.slot)) {
      if (step.issues) report(step.slot, number, "issues a transfer of it");
      return step.kind == StepKind::load ? load(number, step) : store(number, step);
    }
    for (const std::int32_t slot : access.writes()) {
      if (mapped(slot)) make(number, step, slot, access);
    }
  }

  void read(int number, std::int32_t slot) {
    const SlotValue& held = values_[slot];
    if (held.row < 0) return;
    RowState& row = rows_[static_cast<std::size_t>(held.row)];
    row.used = now_;
    if (row.value != held.value) report(slot, number, "reads it, whose row has been overwritten");
  }

  void load(int number, const Step& step) {
    expect_stored(number, step.slot);
    RowState& row = rows_[static_cast<std::size_t>(row_of(step))];
    if (row.ahead) report(step.slot, number, "loads a row that has been updated, but not stored to");
    row.used = now_;
    values_[step.slot] = {.row = row_of(step), .offset = step.offset, .value = row.value};
  }

  void make(int number, const Step& step, std::int32_t slot, const Access& access) {
    const bool updates = std::ranges::find(access.reads(), slot) != access.reads().end();
    if (updates && values_[slot].row >= 0) return update(number, slot);
    expect_stored(number, slot);
    if (updates || step.kind != StepKind::call) report(slot, number, "writes it, but makes no new value");
    values_[slot] = {.made = now_, .step = number};
    unstored_.insert(slot);
  }

  // Of a value where it lies: the store that follows finds it there.
  void update(int number, std::int32_t slot) {
    SlotValue& held = values_[slot];
    RowState& row = rows_[static_cast<std::size_t>(held.row)];
    row = {.used = now_, .value = row.value + 1, .ahead = true};
    held.value = row.value;
    held.made = now_;
    held.step = number;
    unstored_.insert(slot);
  }

  // Whatever has been made or updated has been stored by the time that the next value comes.
  void expect_stored(int number, std::int32_t slot) {
    if (unstored_.erase(slot) > 0) report(slot, number, "overwrites it, of which no store has told");
  }

  void store(int number, const Step& step) {
    SlotValue& held = values_[step.slot];
    if (unstored_.erase(step.slot) == 0) return report(step.slot, number, "stores it, which lies in a row already");
    RowState& row = rows_[static_cast<std::size_t>(row_of(step))];
    if (held.row >= 0) {
      const bool is_there = held.row == row_of(step) && held.offset == step.offset && held.value == row.value;
      if (!is_there) report(step.slot, number, "stores it elsewhere than it has been updated");
    } else if (row.ahead || row.used >= held.made) {
      report(step.slot, number, "stores it to a row that was in use when it was made");
    }
    if (program_.steps[held.step].micro_batch != step.micro_batch) {
      report(step.slot, number, "stores it for another micro-batch than the one that made it");
    }
    row = {.used = now_, .value = row.value + 1};
    held = {.row = row_of(step), .offset = step.offset, .value = row.value};
  }

  const Program& program_;
  std::vector<std::size_t> first_rows_;  // of each buffer, in rows_
  std::vector<RowState> rows_;
  std::vector<SlotValue> values_;    // of each mapped slot
  std::set<std::int32_t> unstored_;  // mapped slots of whose value no store has told yet
  std::int64_t now_ = 0;             // counts the steps that have been visited
  std::vector<MappingConflict> conflicts_;
};

}  // namespace

std::vector<MappingConflict> find_mapping_conflicts(const Program& program) {
  if (std::ranges::none_of(program.slots, &Slot::mapped)) return {};
  return MappedRows(program).run();
}

}  // namespace phasor
