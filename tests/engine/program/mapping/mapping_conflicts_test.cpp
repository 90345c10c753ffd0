// Faults of slots that lie in their rows, planted in a program and found with their name and place.
#include "engine/program/mapping/mapping_conflicts.h"

#include <gtest/gtest.h>

#include "tests/engine/program/check/draft.h"

namespace phasor::test {
namespace {

// m and n lie in rows of `own`, a and b in the arena.
struct MappedDraft : Draft {
  void add(SlotId x, SlotId y, SlotId to) {
    builder.call(builder.graph("add", GraphKind::forward, add_graph(kPart)), {x, y, to});
  }
  void make(SlotId slot) {
    builder.load({state, 0}, a);
    add(a, a, slot);
  }
  // Of the first conflict.
  std::string conflict() {
    const Program program = builder.finish();
    const std::vector<MappingConflict> conflicts = find_mapping_conflicts(program);
    if (conflicts.empty()) return "none";
    constexpr std::string_view kPhase = "phase 'phase' instance 3, ";
    const auto& [slot, what] = conflicts.front();
    EXPECT_TRUE(what.starts_with(kPhase)) << what;
    return fmt::format("{}: {}", program.slots[static_cast<std::size_t>(slot)], what.substr(kPhase.size()));
  }
  SlotId m = builder.slot({.name = "m", .bytes = 16, .mapped = true});
  SlotId n = builder.slot({.name = "n", .bytes = 16, .mapped = true});
};

TEST(MappingConflicts, NoneWhereAValueIsMadeStoredAndRead) {
  MappedDraft draft;
  draft.make(draft.m);
  draft.builder.store(draft.m, {draft.own, 0});
  draft.builder.load({draft.own, 0}, draft.n);
  draft.add(draft.n, draft.m, draft.b);
  draft.builder.store(draft.b, {draft.state, 0});
  EXPECT_EQ(draft.fault(), "sound");
}

TEST(MappingConflicts, TheCheckerTellsOfThem) {
  MappedDraft draft;
  draft.builder.zero(draft.m);
  draft.builder.store(draft.m, {draft.own, 0});
  EXPECT_EQ(
      draft.fault(),
      "program: slot 'm' lies in its row, but phase 'phase' instance 3, step 0 writes it, but makes no new value");
}

TEST(MappingConflicts, AValueThatNobodyStores) {
  MappedDraft draft;
  draft.make(draft.m);
  draft.make(draft.m);
  EXPECT_EQ(draft.conflict(), "m: step 3 overwrites it, of which no store has told");
}

// n holds a row of `own` and is updated there.
struct UpdatedDraft : MappedDraft {
  UpdatedDraft() {
    make(m);
    builder.store(m, {own, 0});
    builder.load({own, 0}, n);
    add(n, a, n);
  }
};

TEST(MappingConflicts, NoneWhereAValueIsUpdatedInItsRow) {
  UpdatedDraft draft;
  draft.builder.store(draft.n, {draft.own, 0});
  draft.builder.load({draft.own, 0}, draft.m);
  draft.add(draft.m, draft.n, draft.b);
  draft.builder.store(draft.b, {draft.state, 0});
  EXPECT_EQ(draft.fault(), "sound");
}

TEST(MappingConflicts, AnUpdateThatNobodyStores) {
  UpdatedDraft draft;
  draft.builder.load({draft.own, 1}, draft.n);
  EXPECT_EQ(draft.conflict(), "n: step 5 overwrites it, of which no store has told");
}

TEST(MappingConflicts, AnUpdateThatIsStoredElsewhere) {
  UpdatedDraft draft;
  draft.builder.store(draft.n, {draft.own, 1});
  EXPECT_EQ(draft.conflict(), "n: step 5 stores it elsewhere than it has been updated");
}

TEST(MappingConflicts, AnUpdateThatIsStoredToAnotherPartOfItsRow) {
  UpdatedDraft draft;
  draft.builder.store(draft.n, {draft.own, 0, 8});
  EXPECT_EQ(draft.conflict(), "n: step 5 stores it elsewhere than it has been updated");
}

TEST(MappingConflicts, AnUpdateThatIsLoadedBeforeItIsStored) {
  UpdatedDraft draft;
  draft.builder.load({draft.own, 0}, draft.m);
  draft.builder.store(draft.n, {draft.own, 0});
  EXPECT_EQ(draft.conflict(), "m: step 5 loads a row that has been updated, but not stored to");
}

// Behind the update, or behind its store.
TEST(MappingConflicts, AnUpdateOfAValueThatIsStillRead) {
  for (const bool is_stored : {false, true}) {
    UpdatedDraft draft;
    if (is_stored) draft.builder.store(draft.n, {draft.own, 0});
    draft.add(draft.m, draft.a, draft.b);
    if (!is_stored) draft.builder.store(draft.n, {draft.own, 0});
    EXPECT_EQ(draft.conflict(), fmt::format("m: step {} reads it, whose row has been overwritten", is_stored ? 6 : 5));
  }
}

TEST(MappingConflicts, AnUpdateOfARowThatIsStoredToBefore) {
  UpdatedDraft draft;
  draft.add(draft.a, draft.a, draft.m);
  draft.builder.store(draft.m, {draft.own, 0});
  draft.builder.store(draft.n, {draft.own, 0});
  EXPECT_EQ(draft.conflict(), "m: step 6 stores it to a row that was in use when it was made");
}

TEST(MappingConflicts, AnUpdateForAnotherMicroBatchThanItsStore) {
  UpdatedDraft draft;
  const auto turn = draft.builder.micro_batch(1);
  draft.builder.store(draft.n, {draft.own, 0});
  EXPECT_EQ(draft.conflict(), "n: step 5 stores it for another micro-batch than the one that made it");
}

TEST(MappingConflicts, AMessageThatMayTellOfAnUpdateTooEarly) {
  UpdatedDraft draft;
  draft.builder.receive(draft.builder.link({.name = "link", .from = 1, .to = 0, .bytes = 16}), 0, draft.b);
  draft.builder.store(draft.n, {draft.own, 0});
  EXPECT_EQ(draft.conflict(), "n: step 5 may tell another device of its row too early");
}

TEST(MappingConflicts, AnUpdateOfWhatHasNoRowYet) {
  MappedDraft draft;
  draft.make(draft.m);
  draft.add(draft.m, draft.a, draft.m);
  draft.builder.store(draft.m, {draft.own, 0});
  EXPECT_EQ(draft.conflict(), "m: step 2 overwrites it, of which no store has told");
}

TEST(MappingConflicts, ABufferOfWhichSomeRowsAreCopied) {
  MappedDraft draft;
  draft.make(draft.m);
  draft.builder.store(draft.m, {draft.own, 0});
  draft.builder.load({draft.own, 0}, draft.b);
  EXPECT_EQ(draft.conflict(), "m: step 3 copies a row of its buffer");
}

TEST(MappingConflicts, ARowThatIsOverwrittenWhileItsValueIsRead) {
  MappedDraft draft;
  draft.make(draft.m);
  draft.builder.store(draft.m, {draft.own, 0});
  draft.builder.load({draft.own, 0}, draft.n);
  draft.make(draft.m);
  draft.builder.store(draft.m, {draft.own, 0});
  draft.add(draft.n, draft.a, draft.b);
  EXPECT_EQ(draft.conflict(), "n: step 7 reads it, whose row has been overwritten");
}

// By the call that makes the new one, or between it and its store.
TEST(MappingConflicts, ARowWhoseValueIsReadWhenTheNextIsMade) {
  for (const bool is_same_call : {false, true}) {
    MappedDraft draft;
    draft.make(draft.m);
    draft.builder.store(draft.m, {draft.own, 0});
    draft.builder.load({draft.own, 0}, draft.n);
    if (is_same_call) {
      draft.add(draft.n, draft.a, draft.m);
    } else {
      draft.make(draft.m);
      draft.add(draft.n, draft.a, draft.b);
    }
    draft.builder.store(draft.m, {draft.own, 0});
    EXPECT_EQ(draft.conflict(),
              fmt::format("m: step {} stores it to a row that was in use when it was made", is_same_call ? 5 : 7));
  }
}

TEST(MappingConflicts, ARowThatIsReadBeforeItsNewValueIsStored) {
  MappedDraft draft;
  draft.make(draft.m);
  draft.builder.store(draft.m, {draft.own, 0});
  draft.make(draft.m);
  draft.builder.load({draft.own, 0}, draft.n);
  draft.builder.store(draft.m, {draft.own, 0});
  EXPECT_EQ(draft.conflict(), "m: step 6 stores it to a row that was in use when it was made");
}

TEST(MappingConflicts, ARowThatIsWrittenAgainBeforeItIsStored) {
  MappedDraft draft;
  draft.make(draft.m);
  draft.add(draft.a, draft.a, draft.n);
  for (const SlotId slot : {draft.m, draft.n}) draft.builder.store(slot, {draft.own, 0});
  EXPECT_EQ(draft.conflict(), "n: step 4 stores it to a row that was in use when it was made");
}

TEST(MappingConflicts, ACopyOfARowInAnother) {
  MappedDraft draft;
  draft.make(draft.m);
  draft.builder.store(draft.m, {draft.own, 0});
  draft.builder.load({draft.own, 0}, draft.n);
  draft.builder.store(draft.n, {draft.own, 1});
  EXPECT_EQ(draft.conflict(), "n: step 4 stores it, which lies in a row already");
}

TEST(MappingConflicts, AnotherMicroBatchThanTheOneThatStores) {
  MappedDraft draft;
  draft.builder.load({draft.state, 0}, draft.a);
  {
    const auto turn = draft.builder.micro_batch(0);
    draft.add(draft.a, draft.a, draft.m);
  }
  const auto turn = draft.builder.micro_batch(1);
  draft.builder.store(draft.m, {draft.own, 0});
  EXPECT_EQ(draft.conflict(), "m: step 2 stores it for another micro-batch than the one that made it");
}

TEST(MappingConflicts, ATransferUnderWay) {
  MappedDraft draft;
  draft.make(draft.m);
  draft.builder.issue_store(draft.m, {draft.own, 0});
  EXPECT_EQ(draft.conflict(), "m: step 2 issues a transfer of it");
}

TEST(MappingConflicts, AMessageThatMayTellOfTheRowTooEarly) {
  MappedDraft draft;
  draft.make(draft.m);
  const LinkId link = draft.builder.link({.name = "link", .from = 1, .to = 0, .bytes = 16});
  draft.builder.receive(link, 0, draft.b);
  draft.builder.store(draft.m, {draft.own, 0});
  EXPECT_EQ(draft.conflict(), "m: step 2 may tell another device of its row too early");
}

}  // namespace
}  // namespace phasor::test
