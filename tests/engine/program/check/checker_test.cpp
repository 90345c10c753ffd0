// Faults in the order of steps, planted in a program and found with their name and place.
#include <gtest/gtest.h>

#include "tests/engine/program/check/draft.h"

namespace phasor::test {
namespace {

TEST(Checker, AcceptsSoundPrograms) {
  for (int replicas : {1, 2, 3, 4}) {
    EXPECT_EQ(fault_of(small_program(replicas)), "sound");
    EXPECT_EQ(fault_of(resident_program(replicas)), "sound");
  }
}

TEST(Checker, ReadBeforeWrite) {
  Draft draft;
  draft.builder.load({draft.state, 0}, draft.a);
  draft.builder.store(draft.b, {draft.state, 0});
  EXPECT_EQ(draft.fault(), "program: phase 'phase' instance 3, step 1 reads slot 'b' before it is written");
}

TEST(Checker, ReadBeforeWriteByACall) {
  Draft draft;
  draft.builder.load({draft.state, 0}, draft.a);
  draft.builder.call(draft.builder.graph("add", GraphKind::forward, add_graph(kPart)), {draft.a, draft.b, draft.c});
  EXPECT_EQ(draft.fault(), "program: phase 'phase' instance 3, step 1 reads slot 'b' before it is written");
}

TEST(Checker, ReadBeforeWriteByCollectives) {
  Draft reduced, gathered, scattered;
  reduced.builder.all_reduce(reduced.a);
  gathered.builder.gather(gathered.a, gathered.wide);
  scattered.builder.reduce_scatter(scattered.wide, scattered.a);
  EXPECT_EQ(reduced.fault(), "program: phase 'phase' instance 3, step 0 reads slot 'a' before it is written");
  EXPECT_EQ(gathered.fault(), "program: phase 'phase' instance 3, step 0 reads slot 'a' before it is written");
  EXPECT_EQ(scattered.fault(), "program: phase 'phase' instance 3, step 0 reads slot 'wide' before it is written");
}

TEST(Checker, LostWrite) {
  Draft draft;
  draft.builder.load({draft.state, 0}, draft.a);
  draft.builder.zero(draft.a);
  EXPECT_EQ(draft.fault(), "program: phase 'phase' instance 3, step 1 overwrites slot 'a', which nothing has read");
}

// The last write of a program is lost as well, unless the next step or the end reads it.
TEST(Checker, LostWriteAtTheEnd) {
  Draft draft;
  draft.builder.zero(draft.a);
  EXPECT_EQ(draft.fault(), "program: nothing reads slot 'a' after its last write");
}

TEST(Checker, RowStoredTwice) {
  Draft draft;
  draft.builder.zero(draft.a);
  draft.builder.store(draft.a, {draft.own, 1});
  draft.builder.store(draft.a, {draft.own, 2});
  draft.builder.store(draft.a, {draft.own, 1});
  EXPECT_EQ(draft.fault(),
            "program: phase 'phase' instance 3, step 3 stores row 1 of buffer 'own', which nothing has loaded since "
            "its store");
}

TEST(Checker, RowLoadedBeforeItIsStored) {
  Draft draft;
  draft.builder.zero(draft.a);
  draft.builder.store(draft.a, {draft.own, 1});
  draft.builder.load({draft.own, 2}, draft.b);
  EXPECT_EQ(draft.fault(), "program: phase 'phase' instance 3, step 2 loads row 2 of buffer 'own' before it is stored");
}

TEST(Checker, StateMayBeUpdatedAgain) {
  Draft draft;
  for (int i = 0; i < 2; ++i) {
    draft.builder.load({draft.state, 1}, draft.a);
    draft.builder.store(draft.a, {draft.state, 1});
  }
  EXPECT_EQ(draft.fault(), "sound");
}

TEST(Checker, LostStoreOfState) {
  Draft twice, apart;
  for (Draft* draft : {&twice, &apart}) {
    draft->builder.load({draft->state, 1}, draft->a);
    draft->builder.store(draft->a, {draft->state, 1});
    if (draft == &apart) draft->builder.begin_phase("end", 0, 1, Section::end);
    draft->builder.store(draft->a, {draft->state, 1});
  }
  EXPECT_EQ(twice.fault(),
            "program: phase 'phase' instance 3, step 2 stores row 1 of buffer 'state', which nothing has loaded since "
            "its store");
  EXPECT_EQ(apart.fault(), "sound");
}

// What a step stores, and what the section before it did, is nothing to the next step.
TEST(Checker, RowsOfTheProgramDoNotOutliveTheirSection) {
  ProgramBuilder b("test", 1);
  const BufferId own = b.buffer({"own", vector_spec(kPart), 1}, Origin::program);
  const SlotId a = b.slot({.name = "a", .bytes = 16});
  b.begin_phase("first", 0, 1, Section::begin);
  b.zero(a);
  b.store(a, {own, 0});
  b.begin_phase("phase", 0, 1, Section::step);
  b.load({own, 0}, a);
  b.all_reduce(a);
  EXPECT_EQ(fault_of(b.finish()),
            "program: phase 'phase' instance 0, step 2 loads row 0 of buffer 'own' before it is stored");
}

TEST(Checker, StoreToTheHosts) {
  Draft draft;
  draft.builder.load({draft.host, 0}, draft.a);
  draft.builder.store(draft.a, {draft.host, 0});
  EXPECT_EQ(draft.fault(), "program: phase 'phase' instance 3, step 1 stores to 'host', the host's");
}

// Sound once, but not in the step after it.
TEST(Checker, LostWriteFromStepToStep) {
  ProgramBuilder b("test", 1);
  const SlotId a = b.slot({.name = "a", .bytes = 16});
  const BufferId own = b.buffer({"own", vector_spec(kPart), 1}, Origin::program);
  b.begin_phase("phase", 0, 1, Section::step);
  b.zero(a);
  b.begin_phase("end", 0, 1, Section::end);
  b.store(a, {own, 0});
  EXPECT_EQ(fault_of(b.finish()),
            "program: phase 'phase' instance 0, step 0 overwrites slot 'a', which nothing has read");
}

// The step would find what an earlier one left, but the first finds nothing.
TEST(Checker, ReadOfWhatOnlyAnEarlierStepWrites) {
  Draft draft;
  draft.builder.store(draft.a, {draft.own, 0});
  draft.builder.zero(draft.a);
  EXPECT_EQ(draft.fault(), "program: phase 'phase' instance 3, step 0 reads slot 'a' before it is written");
}

// Any one step that goes missing breaks the small program, except for the update, without which the weights are stored
// as they were, and the last store, on which nothing depends.
TEST(Checker, EveryStepThatAnotherNeedsIsMissed) {
  const std::size_t steps = small_program(2).steps.size();
  for (std::size_t missing = 0; missing + 2 < steps; ++missing) {
    Program program = small_program(2);
    program.steps.erase(missing);
    for (Phase& phase : program.phases) {
      if (phase.first_step > static_cast<int>(missing)) --phase.first_step;
      if (phase.end_step > static_cast<int>(missing)) --phase.end_step;
    }
    EXPECT_NE(fault_of(program), "sound") << missing;
  }
}

}  // namespace
}  // namespace phasor::test
