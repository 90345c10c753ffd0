// What is sound as a whole but not in runs of fewer micro-batches is found, and what passes is sound in all of them.
#include <gtest/gtest.h>

#include "engine/program/check/checks.h"
#include "engine/program/overlap/overlap.h"
#include "engine/program/printer.h"
#include "tests/engine/program/check/draft.h"
#include "tests/engine/program/random_program.h"
#include "tests/engine/program/shortened.h"

namespace phasor::test {
namespace {

const std::string kPlaceOfStep = "program: phase 'phase' instance 3, step ";

// The whole check, and that all but the last pass find nothing: the fault is one of shorter runs alone.
std::string fault_in_short_runs(Draft& draft) {
  const Program program = draft.builder.finish();
  for (auto check :
       {check_numbers, check_sizes, check_overwrites, check_rows, check_transfers, check_slots, check_partial_sums}) {
    check(program);
  }
  return fault_of(program);
}

TEST(CheckerShortRuns, AValueThatIsNotBegun) {
  Draft late, carried;
  {
    const auto turn = late.builder.micro_batch(1);
    late.builder.load({late.host, 1}, late.a);
  }
  late.builder.store(late.a, {late.own, 0});
  EXPECT_EQ(fault_in_short_runs(late), kPlaceOfStep + "1 reads slot 'a' in runs that do not begin its value");
  // The value of micro-batch 2 lies where that of micro-batch 0 did, which is the last of a run of one.
  {
    const auto turn = carried.builder.micro_batch(0);
    carried.builder.load({carried.host, 0}, carried.a);
    carried.builder.store(carried.a, {carried.own, 0});
  }
  {
    const auto turn = carried.builder.micro_batch(2);
    carried.builder.load({carried.host, 2}, carried.a);
  }
  carried.builder.store(carried.a, {carried.own, 1});
  EXPECT_EQ(fault_in_short_runs(carried), kPlaceOfStep + "3 reads slot 'a' in runs that do not begin its value");
}

TEST(CheckerShortRuns, AValueOfALongerRunBefore) {
  Draft draft;
  draft.builder.zero(draft.b);
  {
    const auto turn = draft.builder.micro_batch(2);
    draft.builder.load({draft.host, 2}, draft.a);
    draft.builder.call(draft.builder.graph("add", GraphKind::forward, add_graph(kPart)), {draft.b, draft.a, draft.b});
  }
  draft.builder.store(draft.b, {draft.own, 0});
  draft.builder.begin_phase("end", 0, 1, Section::end);
  {
    const auto turn = draft.builder.micro_batch(2);
    draft.builder.store(draft.a, {draft.state, 0});
  }
  EXPECT_EQ(fault_in_short_runs(draft),
            "program: phase 'end' instance 0, step 4 reads slot 'a' in runs that do not begin its value");
}

TEST(CheckerShortRuns, AWriteThatNothingReads) {
  Draft draft;
  {
    const auto turn = draft.builder.micro_batch(1);
    draft.builder.load({draft.host, 1}, draft.a);
  }
  {
    const auto turn = draft.builder.micro_batch(2);
    draft.builder.store(draft.a, {draft.own, 1});
  }
  EXPECT_EQ(fault_in_short_runs(draft), "program: in runs of 2 micro-batches nothing reads a write of slot 'a'");
}

// A wait where it is needed next, as if it were of the micro-batch that stands there.
TEST(CheckerShortRuns, AWaitOfAnotherMicroBatch) {
  Draft store, load;
  {
    const auto turn = store.builder.micro_batch(0);
    store.builder.zero(store.a);
    store.builder.issue_store(store.a, {store.own, 0});
  }
  {
    const auto turn = store.builder.micro_batch(1);
    store.builder.wait(store.a);
  }
  EXPECT_EQ(fault_in_short_runs(store),
            kPlaceOfStep + "2 waits in runs of 2 micro-batches, but slot 'a' moves in those of 1");
  {
    const auto turn = load.builder.micro_batch(2);
    load.builder.issue_load({load.host, 2}, load.a);
  }
  {
    const auto turn = load.builder.micro_batch(1);
    load.builder.wait(load.a);
  }
  {
    const auto turn = load.builder.micro_batch(2);
    load.builder.store(load.a, {load.own, 2});
  }
  EXPECT_EQ(fault_in_short_runs(load),
            kPlaceOfStep + "1 waits in runs of 2 micro-batches, but slot 'a' moves in those of 3");
}

// A store that what follows in its queue has waited for, in the runs that have it.
TEST(CheckerShortRuns, ATransferThatEndsAnother) {
  Draft draft;
  draft.builder.zero(draft.a);
  draft.builder.issue_store(draft.a, {draft.own, 0});
  {
    const auto turn = draft.builder.micro_batch(1);
    draft.builder.store(draft.a, {draft.own, 1});
  }
  EXPECT_EQ(fault_in_short_runs(draft),
            kPlaceOfStep + "2 ends the transfers of slot 'a' in runs of 2 micro-batches, but they begin in those of 1");
}

TEST(CheckerShortRuns, ARowOfTwoMicroBatches) {
  Draft draft;
  {
    const auto turn = draft.builder.micro_batch(1);
    draft.builder.zero(draft.a);
    draft.builder.store(draft.a, {draft.own, 0});
  }
  {
    const auto turn = draft.builder.micro_batch(2);
    draft.builder.load({draft.own, 0}, draft.b);
    draft.builder.store(draft.b, {draft.own, 1});
  }
  EXPECT_EQ(fault_in_short_runs(draft),
            kPlaceOfStep + "2 uses row 0 of buffer 'own' in runs of 3 micro-batches, another step in those of 2");
}

// What the one pass says of all runs, the others find in each by itself; and the plan of the whole is one of each.
TEST(CheckerShortRuns, EveryRunIsSound) {
  constexpr int kPrograms = 200, kDepths = 3, kMostReplicas = 3;
  int shorter_runs = 0, waits = 0;
  for (int seed = 0; seed < kPrograms; ++seed) {
    const Program whole = overlap(RandomProgram(static_cast<std::uint64_t>(seed), 1 + seed % kMostReplicas).make(),
                                  seed / kMostReplicas % kDepths);
    ASSERT_EQ(fault_of(whole), "sound");
    const ProgramPlan plan = plan_program(whole, 1);
    for (int n = 1; n < whole.micro_batches; ++n) {
      const Program run = shortened(whole, n);
      if (run.steps.size() == whole.steps.size()) break;
      SCOPED_TRACE(fmt::format("seed {}, {} of {} micro-batches\n{}", seed, n, whole.micro_batches, to_string(run)));
      for (auto check : {check_rows, check_transfers, check_slots, check_partial_sums}) ASSERT_NO_THROW(check(run));
      ASSERT_EQ(fault_of(run, plan), "sound");
      ++shorter_runs;
      for (const Step& step : run.steps) waits += step.kind == StepKind::wait && step.micro_batch > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(shorter_runs, kPrograms / 2);
  EXPECT_GT(waits, kPrograms);
}

}  // namespace
}  // namespace phasor::test
