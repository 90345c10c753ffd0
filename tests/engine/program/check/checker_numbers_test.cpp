// Numbers that name nothing, and steps and phases out of shape, planted in a program and found.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/engine/program/check/draft.h"

namespace phasor::test {
namespace {

// What the checker says when `damage` has been done to the small program's step of that kind, the first one.
template <class Damage>
std::string fault_of_step(StepKind kind, Damage damage) {
  Program program = small_program(2);
  std::size_t i = 0;
  while (program.steps[i].kind != kind) ++i;
  Step step = program.steps[i];
  damage(step);
  program.steps.set(i, step);
  return fault_of(program);
}

template <class Damage>
std::string fault_of_program(Damage damage) {
  Program program = small_program(2);
  damage(program);
  return fault_of(program);
}

constexpr std::string_view kForward = "program: phase 'forward' instance 0, ";

TEST(CheckerNumbers, Slots) {
  for (int slot : {-1, 7, 1000}) {
    EXPECT_EQ(fault_of_step(StepKind::load, [&](Step& step) { step.slot = slot; }),
              fmt::format("{}step 0: a load of slot {}, of which there are 7", kForward, slot));
    EXPECT_EQ(fault_of_step(StepKind::store, [&](Step& step) { step.slot = slot; }),
              fmt::format("{}step 4: a store of slot {}, of which there are 7", kForward, slot));
  }
}

TEST(CheckerNumbers, Targets) {
  EXPECT_EQ(fault_of_step(StepKind::gather, [](Step& step) { step.target = 7; }),
            fmt::format("{}step 1: a gather of target 7, of which there are 7", kForward));
  EXPECT_EQ(fault_of_step(StepKind::gather, [](Step& step) { step.target = -1; }),
            fmt::format("{}step 1: a gather of target -1, of which there are 7", kForward));
  EXPECT_EQ(fault_of_step(StepKind::gather, [](Step& step) { step.target = step.slot; }),
            fmt::format("{}step 1: a gather from slot 'forward/w' to itself", kForward));
  EXPECT_EQ(fault_of_step(StepKind::reduce_scatter, [](Step& step) { step.target = step.slot; }),
            "program: phase 'backward' instance 0, step 6: a reduce_scatter from slot 'backward/dy' to itself");
}

TEST(CheckerNumbers, Buffers) {
  EXPECT_EQ(fault_of_step(StepKind::load, [](Step& step) { step.buffer = 3; }),
            fmt::format("{}step 0: a load of buffer 3, of which there are 3", kForward));
  EXPECT_EQ(fault_of_step(StepKind::store, [](Step& step) { step.buffer = -1; }),
            fmt::format("{}step 4: a store of buffer -1, of which there are 3", kForward));
}

TEST(CheckerNumbers, Rows) {
  for (int row : {-1, 1}) {
    EXPECT_EQ(fault_of_step(StepKind::load, [&](Step& step) { step.row = row; }),
              fmt::format("{}step 0 uses row {} of buffer 'weights', which has 1", kForward, row));
    EXPECT_EQ(fault_of_step(StepKind::store, [&](Step& step) { step.row = row; }),
              fmt::format("{}step 4 uses row {} of buffer 'kept', which has 1", kForward, row));
  }
}

TEST(CheckerNumbers, Calls) {
  for (int call : {-1, 2}) {
    EXPECT_EQ(fault_of_step(StepKind::call, [&](Step& step) { step.call = call; }),
              fmt::format("{}step 3: a call of call {}, of which there are 2", kForward, call));
  }
  for (int graph : {-1, 2}) {
    EXPECT_EQ(fault_of_program([&](Program& program) { program.calls[1].graph = graph; }),
              fmt::format("program: a call names graph {} of 2", graph));
  }
  for (int slot : {-1, 7}) {
    EXPECT_EQ(fault_of_program([&](Program& program) { program.calls[1].slots[2] = slot; }),
              fmt::format("program: a call of graph 'update' names slot {} of 7", slot));
  }
}

// Fields of another kind of step.
TEST(CheckerNumbers, FieldsThatAKindDoesNotHave) {
  EXPECT_EQ(fault_of_step(StepKind::load, [](Step& step) { step.target = 1; }),
            fmt::format("{}step 0: a load has no target, but this one names 1", kForward));
  EXPECT_EQ(fault_of_step(StepKind::store, [](Step& step) { step.call = 0; }),
            fmt::format("{}step 4: a store has no call, but this one names 0", kForward));
  EXPECT_EQ(fault_of_step(StepKind::gather, [](Step& step) { step.buffer = 0; }),
            fmt::format("{}step 1: a gather has no buffer, but this one names 0", kForward));
  EXPECT_EQ(fault_of_step(StepKind::gather, [](Step& step) { step.row = 0; }),
            fmt::format("{}step 1: a gather has no row, but this one names 0", kForward));
  EXPECT_EQ(fault_of_step(StepKind::call, [](Step& step) { step.slot = 0; }),
            fmt::format("{}step 3: a call has no slot, but this one names 0", kForward));
  EXPECT_EQ(fault_of_step(StepKind::call, [](Step& step) { step.issues = true; }),
            fmt::format("{}step 3: a call cannot be under way", kForward));
  for (StepKind kind : {StepKind::zero, StepKind::all_reduce, StepKind::wait}) {
    EXPECT_NE(fault_of_step(StepKind::gather, [&](Step& step) { step.kind = kind; })
                  .find(" has no target, but this one names 1"),
              std::string::npos);
  }
  EXPECT_EQ(fault_of_step(StepKind::load, [](Step& step) { step.kind = static_cast<StepKind>(11); }),
            fmt::format("{}step 0 is of no kind", kForward));
  EXPECT_EQ(fault_of_step(StepKind::load, [](Step& step) { step.turn = -2; }),
            fmt::format("{}step 0 stands in turn -2", kForward));
  EXPECT_EQ(fault_of_step(StepKind::gather, [](Step& step) { step.partials = true; }),
            fmt::format("{}step 1: a gather sums no partial sums", kForward));
  for (int m : {-2, 1}) {
    EXPECT_EQ(fault_of_step(StepKind::load, [&](Step& step) { step.micro_batch = m; }),
              fmt::format("{}step 0 serves micro-batch {}, of which there are 1", kForward, m));
  }
  EXPECT_EQ(fault_of_program([](Program& program) { program.micro_batches = 0; }),
            "program: it is for 0 micro-batches, expected one at least");
}

TEST(CheckerNumbers, Leaves) {
  const std::string backward = "program: phase 'backward' instance 0, ";
  EXPECT_EQ(fault_of_step(StepKind::reduce_scatter, [](Step& step) { step.kind = StepKind::add_leaf; }),
            fmt::format("{}step 6 adds the leaf of no micro-batch", backward));
  // Partial sums are not summed in their own place.
  EXPECT_EQ(fault_of_step(StepKind::reduce_scatter,
                          [](Step& step) { step.kind = StepKind::all_reduce, step.partials = true, step.target = -1; }),
            fmt::format("{}step 6: a all_reduce of target -1, of which there are 7", backward));
}

TEST(CheckerNumbers, PhasesThatDoNotFollowOneAnother) {
  const auto fault = [](int phase, int first_moves, int end_moves) {
    return fault_of_program([&](Program& program) {
      program.phases[phase].first_step += first_moves;
      program.phases[phase].end_step += end_moves;
    });
  };
  EXPECT_EQ(fault(1, 1, 0), "program: phase 'backward' starts at step 6, expected 5");
  EXPECT_EQ(fault(1, -1, 0), "program: phase 'backward' starts at step 4, expected 5");
  EXPECT_EQ(fault(0, 1, 0), "program: phase 'forward' starts at step 1, expected 0");
  EXPECT_EQ(fault(0, 0, 1), "program: phase 'backward' starts at step 5, expected 6");
  EXPECT_EQ(fault(1, 0, -1), "program: 1 steps belong to no phase");
  EXPECT_EQ(fault(1, 0, 1),
            "program: phase 'backward' of the steps from 5 ends in front of step 11, where there are 10");
  EXPECT_EQ(fault(1, 0, -6),
            "program: phase 'backward' of the steps from 5 ends in front of step 4, where there are 10");
}

TEST(CheckerNumbers, SectionsAndInstances) {
  EXPECT_EQ(fault_of_program([](Program& program) { program.phases[0].section = Section::end; }),
            "program: phase 'backward' stands behind those of a later section");
  EXPECT_EQ(fault_of_program([](Program& program) { program.phases[1].section = static_cast<Section>(3); }),
            "program: phase 'backward' has section 3 of 3");
  for (int instance : {-1, 1}) {
    EXPECT_EQ(fault_of_program([&](Program& program) { program.phases[1].instance = instance; }),
              fmt::format("program: phase 'backward' is instance {} of 1", instance));
  }
}

TEST(CheckerNumbers, ThingsThatCannotBe) {
  EXPECT_EQ(fault_of_program([](Program& program) { program.replicas = 0; }),
            "program: it is for 0 replicas, expected one at least");
  EXPECT_EQ(fault_of_program([](Program& program) { program.slots[0].bytes = -4; }),
            "program: slot 'forward/w' has -4 bytes");
  EXPECT_EQ(fault_of_program([](Program& program) { program.buffers[0].spec.rows = 0; }),
            "program: buffer 'weights' has 0 rows, expected one at least");
  EXPECT_EQ(fault_of_program([](Program& program) { program.buffers[0].queue = static_cast<Queue>(2); }),
            "program: buffer 'weights' has queue 2 of 2");
  EXPECT_EQ(fault_of_program([](Program& program) { program.buffers[2].spec.name = "weights"; }),
            "program: two buffers are named 'weights'");
}

}  // namespace
}  // namespace phasor::test
