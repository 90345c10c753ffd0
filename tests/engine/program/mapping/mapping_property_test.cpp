// Random programs compute the same bits whether their rows are copied or stay where they are.
#include <cmath>
#include <gtest/gtest.h>

#include "engine/program/check/checker.h"
#include "engine/program/mapping/map_rows.h"
#include "engine/program/overlap/overlap.h"
#include "engine/program/printer.h"
#include "tests/engine/program/program_results.h"
#include "tests/engine/program/random_graphs.h"

namespace phasor::test {
namespace {

// Values that go through rows of several buffers, the last of them state, and through a sum. What has been loaded is
// read at any time later; rows are stored over what has been read of them, or updated in their slot and stored again.
// Each buffer has slots of its own, but in some programs.
class RandomRows {
 public:
  explicit RandomRows(std::uint64_t seed) : seed_(seed), shares_slots_(draw(8) == 0) {}

  Program make() {
    constexpr int kPhases = 3, kActions = 6;
    for (int phase = 0; phase < kPhases; ++phase) {
      builder_.begin_phase("phase", phase, kPhases, Section::step);
      if (phase == 0) builder_.zero(sum_);
      for (int i = 0; i < kActions; ++i) act(draw(kBuffers), draw(kRows));
    }
    for (int b = 0; b < kBuffers; ++b) {
      for (int row = 0; row < kRows; ++row) read_row(b, row);
    }
    builder_.store(sum_, {builder_.buffer({"result", vector_spec(kElements), 1}, Origin::state), 0});
    return builder_.finish();
  }

 private:
  static constexpr int kBuffers = 3, kRows = 3;
  static constexpr std::int64_t kElements = 32;
  enum class RowState : std::uint8_t { empty, stored, loaded };
  struct Held {
    SlotId slot;
    int buffer = 0, row = 0;  // that it was loaded from
    bool is_read = false;
  };

  int draw(int below) {
    return static_cast<int>(random_block(seed_, {drawn_++, 0, 0, 0})[0] % static_cast<std::uint32_t>(below));
  }
  SlotId slot(const std::string& name) {
    return builder_.slot({.name = name, .content = Content::activations, .bytes = kElements * 4});
  }
  SlotId slot(const char* name, int buffer) { return slot(fmt::format("{}{}", name, shares_slots_ ? 0 : buffer)); }
  phasor::Row row_of(int buffer, int row) {
    const std::string name = fmt::format("rows{}", buffer);
    const Origin origin = buffer == kBuffers - 1 ? Origin::state : Origin::program;
    return {builder_.buffer({name, vector_spec(kElements), kRows}, origin), row};
  }

  void act(int buffer, int row) {
    switch (draw(4)) {
      case 0:
        return load(buffer, row);
      case 1:
        if (draw(3) == 0 && !held_.empty()) update(held_[draw(static_cast<int>(held_.size()))]);
        return;
      default:
        return store(buffer, row);
    }
  }

  void call(SlotId a, SlotId b, SlotId to) {
    const int kind = draw(kRandomGraphs);
    const GraphId graph =
        builder_.graph(fmt::format("graph{}", kind), GraphKind::forward, random_graph(kind, kElements));
    builder_.call(graph, {a, b, to});
  }
  void add_to_sum(SlotId slot) { call(sum_, slot, sum_); }
  // Of some the row has the old value still.
  void update(Held& held) {
    call(held.slot, sum_, held.slot);
    held.is_read = true;
    const bool is_stored = draw(8) != 0 && rows_[held.buffer][held.row] == RowState::loaded;
    if (is_stored) {
      builder_.store(held.slot, row_of(held.buffer, held.row));
      rows_[held.buffer][held.row] = RowState::stored;
    }
    if (draw(2) == 0 || !is_stored) add_to_sum(held.slot);
  }

  void load(int buffer, int row) {
    if (rows_[buffer][row] == RowState::empty) return;
    const SlotId in = slot("in", buffer);
    auto held = std::ranges::find(held_, in, &Held::slot);
    if (held == held_.end())
      held = held_.insert(held, {in});
    else if (!held->is_read)
      add_to_sum(in);
    builder_.load(row_of(buffer, row), in);
    rows_[buffer][row] = RowState::loaded;
    *held = {in, buffer, row};
  }
  void read_row(int buffer, int row) {
    load(buffer, row);
    for (Held& held : held_) {
      if (!held.is_read) add_to_sum(held.slot);
      held.is_read = true;
    }
  }

  // Of what is held by now, or of the batch.
  SlotId any() {
    if (held_.empty() || draw(4) == 0) {
      const SlotId batch = slot("batch");
      builder_.load({builder_.buffer({"batch", vector_spec(kElements), kRows}, Origin::host), draw(kRows)}, batch);
      add_to_sum(batch);
      return batch;
    }
    Held& held = held_[draw(static_cast<int>(held_.size()))];
    held.is_read = true;
    return held.slot;
  }
  void store(int buffer, int row) {
    if (rows_[buffer][row] == RowState::stored) read_row(buffer, row);
    const SlotId a = any(), out = slot("out", buffer);
    call(a, any(), out);
    builder_.store(out, row_of(buffer, row));
    rows_[buffer][row] = RowState::stored;
  }

  std::uint64_t seed_;
  std::uint32_t drawn_ = 0;
  bool shares_slots_;
  ProgramBuilder builder_{"random", 1, 1};
  SlotId sum_ = builder_.slot({.name = "sum", .bytes = kElements * 4});
  RowState rows_[kBuffers][kRows]{};
  std::vector<Held> held_;  // slots of rows that have been loaded
};

TEST(MappingOfRandomPrograms, ChangesNothing) {
  int mapped = 0, copied = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Program program = RandomRows(seed).make();
    check_program(program);
    const std::vector<float> expected = results_of(program, Strategy::no_reuse, memory_store());
    for (const float value : expected) ASSERT_TRUE(std::isfinite(value));
    Pipeline pipeline(program);
    map_rows(pipeline);
    Program in_place = pipeline.first();
    check_program(in_place);
    ASSERT_EQ(results_of(in_place, Strategy::best, memory_store()), expected)
        << to_string(program) << to_string(in_place);
    in_place = overlap(std::move(in_place), 1);
    check_program(in_place);
    ASSERT_EQ(results_of(in_place, Strategy::best, memory_store()), expected)
        << to_string(program) << to_string(in_place);
    for (const Step step : program.steps) {
      if (!is_transfer(step) || program.buffers[step.buffer].origin != Origin::program) continue;
      (in_place.slots[step.slot].mapped ? mapped : copied) += 1;
    }
  }
  // Else this shows nothing.
  EXPECT_GT(mapped, 300);
  EXPECT_GT(copied, 300);
}

}  // namespace
}  // namespace phasor::test
