// Faults of transfers that are under way, planted in a program and found with their name and place.
#include <gtest/gtest.h>

#include "engine/program/overlap/overlap.h"
#include "tests/engine/program/check/draft.h"

namespace phasor::test {
namespace {

constexpr std::string_view kPlace = "program: phase 'phase' instance 3, ";

TEST(CheckerTransfers, AcceptsOverlappedPrograms) {
  for (int depth : {0, 1, 2, 3}) {
    for (int replicas : {1, 2, 3}) {
      EXPECT_EQ(fault_of(overlap(small_program(replicas), depth)), "sound");
      EXPECT_EQ(fault_of(overlap(resident_program(replicas), depth)), "sound");
    }
  }
}

TEST(CheckerTransfers, ReadOfASlotThatIsLoaded) {
  Draft draft;
  draft.builder.issue_load({draft.state, 0}, draft.a);
  draft.builder.issue_store(draft.a, {draft.state, 0});
  EXPECT_EQ(draft.fault(), fmt::format("{}step 1 reads slot 'a' before a wait for its load", kPlace));
}

TEST(CheckerTransfers, ReadOfASlotThatIsLoadedByACall) {
  Draft draft;
  for (SlotId slot : {draft.a, draft.b}) draft.builder.issue_load({draft.state, 0}, slot);
  draft.builder.wait(draft.a);
  draft.builder.call(draft.builder.graph("add", GraphKind::forward, add_graph(kPart)), {draft.a, draft.b, draft.c});
  EXPECT_EQ(draft.fault(), fmt::format("{}step 3 reads slot 'b' before a wait for its load", kPlace));
}

TEST(CheckerTransfers, WriteOfASlotThatIsLoaded) {
  Draft zeroed, loaded;
  zeroed.builder.issue_load({zeroed.state, 0}, zeroed.a);
  zeroed.builder.zero(zeroed.a);
  loaded.builder.issue_load({loaded.state, 0}, loaded.a);
  loaded.builder.load({loaded.state, 1}, loaded.a);
  EXPECT_EQ(zeroed.fault(), fmt::format("{}step 1 writes slot 'a' before a wait for its load", kPlace));
  EXPECT_EQ(loaded.fault(), fmt::format("{}step 1 writes slot 'a' before a wait for its load", kPlace));
}

TEST(CheckerTransfers, WriteOfASlotThatIsStored) {
  Draft zeroed, updated, gathered;
  zeroed.builder.zero(zeroed.a);
  zeroed.builder.issue_store(zeroed.a, {zeroed.state, 0});
  zeroed.builder.zero(zeroed.a);
  updated.builder.zero(updated.a);
  updated.builder.issue_store(updated.a, {updated.state, 0});
  updated.builder.all_reduce(updated.a);
  gathered.builder.zero(gathered.a);
  gathered.builder.zero(gathered.wide);
  const BufferId rows = gathered.builder.buffer({"wide", vector_spec(2 * kPart), 1}, Origin::program);
  gathered.builder.issue_store(gathered.wide, {rows, 0});
  gathered.builder.gather(gathered.a, gathered.wide);
  EXPECT_EQ(zeroed.fault(), fmt::format("{}step 2 writes slot 'a' before a wait for its store", kPlace));
  EXPECT_EQ(updated.fault(), fmt::format("{}step 2 writes slot 'a' before a wait for its store", kPlace));
  EXPECT_EQ(gathered.fault(), fmt::format("{}step 3 writes slot 'wide' before a wait for its store", kPlace));
}

// Whoever reads a slot that is being stored, and whoever stands behind the store in its queue, disturbs nothing.
TEST(CheckerTransfers, AStoreLeavesItsSlotReadable) {
  Draft draft;
  draft.builder.zero(draft.a);
  draft.builder.issue_store(draft.a, {draft.state, 0});
  draft.builder.call(draft.builder.graph("add", GraphKind::forward, add_graph(kPart)), {draft.a, draft.a, draft.c});
  draft.builder.issue_store(draft.a, {draft.state, 1});
  draft.builder.issue_load({draft.state, 2}, draft.a);
  draft.builder.wait(draft.a);
  for (SlotId slot : {draft.a, draft.c}) draft.builder.store(slot, {draft.own, slot.number});
  EXPECT_EQ(draft.fault(), "sound");
}

TEST(CheckerTransfers, TwoQueuesAtOneSlot) {
  for (bool issues : {false, true}) {
    for (bool loads : {false, true}) {
      Draft draft;
      draft.builder.zero(draft.a);
      draft.builder.issue_store(draft.a, {draft.own, 0});
      if (loads) {
        draft.builder.load({draft.state, 0}, draft.a);
      } else {
        draft.builder.store(draft.a, {draft.state, 0});
      }
      Program program = draft.builder.finish();
      Step last = program.steps.back();
      last.issues = issues;
      program.steps.set(program.steps.size() - 1, last);
      program.buffers[draft.state].queue = Queue::bulk;
      EXPECT_EQ(
          fault_of(program),
          fmt::format("{}step 2 transfers slot 'a' before a wait for its transfer through another queue", kPlace));
    }
  }
}

TEST(CheckerTransfers, WaitForNothing) {
  Draft never, twice, done;
  never.builder.wait(never.a);
  twice.builder.issue_load({twice.state, 0}, twice.a);
  for (int i = 0; i < 2; ++i) twice.builder.wait(twice.a);
  done.builder.load({done.state, 0}, done.a);
  done.builder.wait(done.a);
  EXPECT_EQ(never.fault(), fmt::format("{}step 0 waits for slot 'a', of which no transfer is under way", kPlace));
  EXPECT_EQ(twice.fault(), fmt::format("{}step 2 waits for slot 'a', of which no transfer is under way", kPlace));
  EXPECT_EQ(done.fault(), fmt::format("{}step 1 waits for slot 'a', of which no transfer is under way", kPlace));
}

// A wait is no use.
TEST(CheckerTransfers, AValueThatIsOnlyWaitedForIsLost) {
  Draft draft;
  draft.builder.issue_load({draft.state, 0}, draft.a);
  draft.builder.wait(draft.a);
  EXPECT_EQ(draft.fault(), "program: nothing reads slot 'a' after its last write");
}

TEST(CheckerTransfers, UnderWayWhenTheSectionEnds) {
  Draft last, between;
  for (Draft* draft : {&last, &between}) {
    draft->builder.zero(draft->a);
    draft->builder.issue_store(draft->a, {draft->own, 0});
  }
  between.builder.begin_phase("end", 0, 1, Section::end);
  between.builder.wait(between.a);
  EXPECT_EQ(last.fault(), "program: nothing waits for the transfer of slot 'a' in its section");
  EXPECT_EQ(between.fault(), "program: nothing waits for the transfer of slot 'a' in its section");
}

TEST(CheckerTransfers, EveryWaitIsMissed) {
  for (int depth : {1, 2}) {
    const Program overlapped = overlap(small_program(2), depth);
    for (std::size_t missing = 0; missing < overlapped.steps.size(); ++missing) {
      if (overlapped.steps[missing].kind != StepKind::wait) continue;
      Program program = overlapped;
      program.steps.erase(missing);
      for (Phase& phase : program.phases) {
        if (phase.first_step > static_cast<int>(missing)) --phase.first_step;
        if (phase.end_step > static_cast<int>(missing)) --phase.end_step;
      }
      EXPECT_NE(fault_of(program), "sound") << missing;
    }
  }
}

}  // namespace
}  // namespace phasor::test
