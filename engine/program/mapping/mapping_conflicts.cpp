#include "engine/program/mapping/mapping_conflicts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/program/access.h"
#include "engine/program/mapping/store_behind.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

// Walks over the steps and remembers, of rows, which value they hold by now and, of mapped slots, which they should.
class MappedRows {
 public:
  explicit MappedRows(const Program& program) : program_(program), values_(program.slots.size()) {}

  std::vector<MappingConflict> run() {
    check_buffers();
    for (Section section : kWalk) for_each_step(program_, section, [&](int step) { visit(step); });
    return std::move(conflicts_);
  }

 private:
  using RowNumber = std::pair<std::int32_t, std::int32_t>;  // of a buffer
  struct RowState {
    int value = 0;             // counts what is written to the row
    std::int32_t writer = -1;  // the mapped slot of whose value the store is still to come
  };
  struct SlotValue {
    RowNumber row;
    int value = -1;
  };

  bool mapped(std::int32_t slot) const { return program_.slots[slot].mapped; }

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
    const Step step = program_.steps[number];
    if (step.kind == StepKind::receive) {
      for (const auto& [row, state] : rows_) {
        if (state.writer >= 0) report(state.writer, number, "may tell another device of its row before it is stored");
      }
    }
    const Access access = access_of(program_, step);
    for (const std::int32_t slot : access.writes()) {
      if (mapped(slot)) write(number, step, slot, access);
    }
    for (const std::int32_t slot : access.reads()) {
      if (mapped(slot)) read(number, slot);
    }
    if (is_transfer(step) && mapped(step.slot) && step.issues) report(step.slot, number, "issues a transfer of it");
    if (step.kind == StepKind::store && mapped(step.slot)) store(number, step);
  }

  void write(int number, const Step& step, std::int32_t slot, const Access& access) {
    if (std::ranges::find(access.reads(), slot) != access.reads().end()) {
      return report(slot, number, "updates it in place");
    }
    if (step.kind == StepKind::load) {
      const RowState& state = rows_[{step.buffer, step.row}];
      if (state.writer >= 0) report(slot, number, "loads its row before what is written to it is stored");
      values_[slot] = {{step.buffer, step.row}, state.value};
      return;
    }
    const int next = store_behind(program_, number, slot);
    if (step.kind != StepKind::call || next < 0) return report(slot, number, "makes what no row is known for");
    const Step store = program_.steps[next];
    RowState& state = rows_[{store.buffer, store.row}];
    if (store.micro_batch != step.micro_batch) report(slot, number, "makes it for another micro-batch than stores it");
    if (state.writer >= 0) report(slot, number, "writes its row again before it is stored");
    state = {.value = state.value + 1, .writer = slot};
    values_[slot] = {{store.buffer, store.row}, state.value};
  }

  void read(int number, std::int32_t slot) {
    const SlotValue& held = values_[slot];
    if (held.value != rows_[held.row].value) report(slot, number, "reads it, whose row has been overwritten");
  }

  void store(int number, const Step& step) {
    RowState& state = rows_[{step.buffer, step.row}];
    if (state.writer != step.slot) report(step.slot, number, "stores it to a row in which it does not lie");
    state.writer = -1;
  }

  const Program& program_;
  std::map<RowNumber, RowState> rows_;
  std::vector<SlotValue> values_;  // of each mapped slot
  std::vector<MappingConflict> conflicts_;
};

}  // namespace

std::vector<MappingConflict> find_mapping_conflicts(const Program& program) { return MappedRows(program).run(); }

}  // namespace phasor
