#include "engine/program/memory/liveness.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/engine/program/small_program.h"

namespace phasor::test {
namespace {

// The live ranges of one block, in order of time and each once.
std::vector<std::pair<int, int>> ranges_of(const Program& program, int block) {
  std::vector<std::pair<int, int>> ranges;
  for (const LiveRange& range : find_liveness(program)) {
    if (range.block == block) ranges.emplace_back(range.begin, range.end);
  }
  std::ranges::sort(ranges);
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  return ranges;
}
using Ranges = std::vector<std::pair<int, int>>;

int slot_of(const Program& program, std::string_view name) {
  const auto slot = std::ranges::find(program.slots, name, [](const Slot& s) { return fmt::format("{}", s); });
  return static_cast<int>(slot - program.slots.begin());
}
Ranges ranges_of(const Program& program, std::string_view slot) { return ranges_of(program, slot_of(program, slot)); }

TEST(Liveness, ASlotLivesFromItsWriterToItsLastReader) {
  const Program program = small_program(2);
  EXPECT_EQ(ranges_of(program, "forward/w"), (Ranges{{0, 1}}));
  EXPECT_EQ(ranges_of(program, "forward/gathered"), (Ranges{{1, 3}}));
  EXPECT_EQ(ranges_of(program, "forward/x"), (Ranges{{2, 3}}));
  EXPECT_EQ(ranges_of(program, "forward/y"), (Ranges{{3, 4}}));
  EXPECT_EQ(ranges_of(program, "backward/dy"), (Ranges{{5, 6}}));
  EXPECT_EQ(ranges_of(program, "backward/g"), (Ranges{{6, 8}}));
}

TEST(Liveness, AnUpdateInPlaceIsOneLife) { EXPECT_EQ(ranges_of(small_program(2), "backward/w"), (Ranges{{7, 9}})); }

TEST(Liveness, AWorkspaceLivesDuringItsCalls) {
  const Program program = small_program(2);
  const int slots = static_cast<int>(program.slots.size());
  EXPECT_EQ(ranges_of(program, slots), (Ranges{{3, 3}}));
  EXPECT_EQ(ranges_of(program, slots + 1), (Ranges{{8, 8}}));
}

TEST(Liveness, ASlotUsedAgainLivesTwice) {
  ProgramBuilder b("test", 1);
  const BufferId state = b.buffer({"state", vector_spec(kPart), 2}, Origin::state);
  const SlotId slot = b.slot({.name = "slot", .bytes = 16});
  b.begin_phase("phase", 0, 1, Section::step);
  for (int row : {0, 1}) {
    b.load({state, row}, slot);
    b.store(slot, {state, row});
  }
  EXPECT_EQ(ranges_of(b.finish(), "slot"), (Ranges{{0, 1}, {2, 3}}));
}

// A slot that nothing reads has to be somewhere while it is written.
TEST(Liveness, AWriteThatNobodyReadsLivesOneStep) {
  ProgramBuilder b("test", 1);
  b.begin_phase("phase", 0, 1, Section::step);
  b.zero(b.slot({.name = "slot", .bytes = 16}));
  EXPECT_EQ(ranges_of(b.finish(), "slot"), (Ranges{{0, 0}}));
}

TEST(Liveness, WhatIsCarriedOverStepsLivesThroughout) {
  const Program program = resident_program(2);
  const Ranges sum = ranges_of(program, "sum");
  EXPECT_EQ(sum.back().first, 0);
  EXPECT_EQ(sum.back().second, static_cast<int>(program.steps.size()) - 1);
  EXPECT_EQ(ranges_of(program, "x"), (Ranges{{1, 3}}));
}

// Read early in a step, written late in the one before: alive in between, and in every other phase.
TEST(Liveness, CarriedFromTheEndOfAStepToTheNext) {
  ProgramBuilder b("test", 1);
  const BufferId state = b.buffer({"state", vector_spec(kPart), 2}, Origin::state);
  const SlotId carried = b.slot({.name = "carried", .bytes = 16}), other = b.slot({.name = "other", .bytes = 16});
  b.begin_phase("first", 0, 1, Section::begin);
  b.zero(carried);
  b.begin_phase("phase", 0, 1, Section::step);
  b.store(carried, {state, 0});
  b.load({state, 1}, other);
  b.store(other, {state, 1});
  b.load({state, 0}, carried);
  const Ranges ranges = ranges_of(b.finish(), "carried");
  EXPECT_NE(std::ranges::find(ranges, std::pair(0, 4)), ranges.end());
}

// From its issue to its wait, whether or not anybody uses the slot meanwhile.
TEST(Liveness, ASlotLivesWhileATransferIsUnderWay) {
  ProgramBuilder b("test", 1);
  const BufferId state = b.buffer({"state", vector_spec(kPart), 2}, Origin::state);
  const SlotId slot = b.slot({.name = "slot", .bytes = 16}), other = b.slot({.name = "other", .bytes = 16});
  b.begin_phase("phase", 0, 1, Section::step);
  b.issue_load({state, 0}, slot);
  b.zero(other);
  b.store(other, {state, 1});
  b.wait(slot);
  b.issue_store(slot, {state, 0});
  b.zero(other);
  b.store(other, {state, 1});
  b.wait(slot);
  b.zero(other);
  b.store(other, {state, 1});
  EXPECT_EQ(ranges_of(b.finish(), "slot"), (Ranges{{0, 7}}));
}

// A load that is issued behind a store of its slot takes the slot over: in between it is the store's. Behind a wait for
// the store it is nobody's.
TEST(Liveness, ALoadFollowsAStoreUnderWay) {
  for (bool waits : {false, true}) {
    ProgramBuilder b("test", 1);
    const BufferId state = b.buffer({"state", vector_spec(kPart), 2}, Origin::state);
    const SlotId slot = b.slot({.name = "slot", .bytes = 16}), other = b.slot({.name = "other", .bytes = 16});
    b.begin_phase("phase", 0, 1, Section::step);
    b.zero(slot);
    b.issue_store(slot, {state, 0});
    if (waits) b.wait(slot);
    b.zero(other);
    b.store(other, {state, 1});
    b.issue_load({state, 1}, slot);
    b.wait(slot);
    b.store(slot, {state, 1});
    EXPECT_EQ(ranges_of(b.finish(), "slot"), waits ? (Ranges{{0, 2}, {5, 7}}) : (Ranges{{0, 4}, {4, 6}}));
  }
}

TEST(Liveness, RefusesASlotThatNobodyWrites) {
  ProgramBuilder b("test", 1);
  const BufferId state = b.buffer({"state", vector_spec(kPart), 1}, Origin::state);
  b.begin_phase("phase", 0, 1, Section::begin);
  b.store(b.slot({.name = "slot", .bytes = 16}), {state, 0});
  EXPECT_THROW(find_liveness(b.finish()), InternalError);
}

}  // namespace
}  // namespace phasor::test
