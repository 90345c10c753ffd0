// Every kind of fault that the checker looks for, planted in a program and found with its name and place.
#include "engine/program/checker.h"

#include <gtest/gtest.h>

#include "tests/program/small_program.h"

namespace phasor::test {
namespace {

std::string fault_of(const Program& program) {
  try {
    check_program(program);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "sound";
}

// A program of one phase under construction. The slots a, b and c hold kPart elements, `wide` two times as many, as
// there are two replicas.
struct Draft {
  Draft() { builder.begin_phase("phase", 3, 4, Section::step); }
  std::string fault() { return fault_of(builder.finish()); }
  void call_in_place(Graph graph, std::vector<std::int32_t> slots) {
    for (int slot : {a, b, c}) builder.load(state, 0, slot);
    for (int slot : {a, b, c}) builder.store(slot, state, 0);
    builder.call(builder.graph("graph", std::move(graph)), std::move(slots));
  }

  ProgramBuilder builder{"test", 2};
  int state = builder.buffer({"state", vector_spec(kPart), 3}, Origin::state);
  int host = builder.buffer({"host", vector_spec(kPart), 3}, Origin::host);
  int own = builder.buffer({"own", vector_spec(kPart), 3}, Origin::program);
  int a = builder.slot("a", 16), b = builder.slot("b", 16), c = builder.slot("c", 16);
  int wide = builder.slot("wide", 32);
};

TEST(Checker, AcceptsSoundPrograms) {
  for (int replicas : {1, 2, 3, 4}) {
    EXPECT_EQ(fault_of(small_program(replicas)), "sound");
    EXPECT_EQ(fault_of(resident_program(replicas)), "sound");
  }
}

TEST(Checker, ReadBeforeWrite) {
  Draft draft;
  draft.builder.load(draft.state, 0, draft.a);
  draft.builder.store(draft.b, draft.state, 0);
  EXPECT_EQ(draft.fault(), "program: phase 'phase' instance 3, step 1 reads slot 'b' before it is written");
}

TEST(Checker, ReadBeforeWriteByACall) {
  Draft draft;
  draft.builder.load(draft.state, 0, draft.a);
  draft.builder.call(draft.builder.graph("add", add_graph(kPart)), {draft.a, draft.b, draft.c});
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
  draft.builder.load(draft.state, 0, draft.a);
  draft.builder.zero(draft.a);
  EXPECT_EQ(draft.fault(), "program: phase 'phase' instance 3, step 1 overwrites slot 'a', which nothing has read");
}

TEST(Checker, RowStoredTwice) {
  Draft draft;
  draft.builder.zero(draft.a);
  draft.builder.store(draft.a, draft.own, 1);
  draft.builder.store(draft.a, draft.own, 2);
  draft.builder.store(draft.a, draft.own, 1);
  EXPECT_EQ(draft.fault(), "program: phase 'phase' instance 3, step 3 stores row 1 of buffer 'own' a second time");
}

TEST(Checker, RowLoadedBeforeItIsStored) {
  Draft draft;
  draft.builder.zero(draft.a);
  draft.builder.store(draft.a, draft.own, 1);
  draft.builder.load(draft.own, 2, draft.b);
  EXPECT_EQ(draft.fault(), "program: phase 'phase' instance 3, step 2 loads row 2 of buffer 'own' before it is stored");
}

TEST(Checker, StateMayBeLoadedAndStoredAgain) {
  Draft draft;
  draft.builder.load(draft.state, 1, draft.a);
  draft.builder.store(draft.a, draft.state, 1);
  draft.builder.store(draft.a, draft.state, 1);
  EXPECT_EQ(draft.fault(), "sound");
}

TEST(Checker, RowOutOfRange) {
  for (int row : {-1, 3}) {
    Draft draft;
    draft.builder.load(draft.state, row, draft.a);
    EXPECT_EQ(draft.fault(),
              fmt::format("program: phase 'phase' instance 3, step 0 uses row {} of buffer 'state', which has 3", row));
  }
}

TEST(Checker, StoreToTheHosts) {
  Draft draft;
  draft.builder.load(draft.host, 0, draft.a);
  draft.builder.store(draft.a, draft.host, 0);
  EXPECT_EQ(draft.fault(), "program: phase 'phase' instance 3, step 1 stores to 'host', the host's");
}

TEST(Checker, SizesOfTransfers) {
  Draft loaded, stored;
  loaded.builder.load(loaded.state, 0, loaded.wide);
  stored.builder.zero(stored.wide);
  stored.builder.store(stored.wide, stored.state, 0);
  EXPECT_EQ(loaded.fault(), "program: phase 'phase' instance 3, step 0: slot 'wide' has 32 bytes, expected 16");
  EXPECT_EQ(stored.fault(), "program: phase 'phase' instance 3, step 1: slot 'wide' has 32 bytes, expected 16");
}

TEST(Checker, SizesOfCollectives) {
  Draft gathered, scattered;
  gathered.builder.zero(gathered.a);
  gathered.builder.gather(gathered.a, gathered.b);
  scattered.builder.zero(scattered.a);
  scattered.builder.reduce_scatter(scattered.a, scattered.b);
  EXPECT_EQ(gathered.fault(), "program: phase 'phase' instance 3, step 1: slot 'b' has 16 bytes, expected 32");
  EXPECT_EQ(scattered.fault(), "program: phase 'phase' instance 3, step 1: slot 'a' has 16 bytes, expected 32");
}

TEST(Checker, SizesOfCalls) {
  Draft few, small;
  few.call_in_place(add_graph(kPart), {few.a, few.b});
  small.call_in_place(add_graph(2 * kPart), {small.wide, small.a, small.wide});
  EXPECT_EQ(few.fault(), "program: graph 'graph' is called on 2 slots, expected 3");
  EXPECT_EQ(small.fault(), "program: graph 'graph': slot 'a' of 16 bytes holds f32[8]");
}

TEST(Checker, AnOutputMayTakeThePlaceOfWhatItsOpOverwrites) {
  Draft draft;
  draft.call_in_place(add_graph(kPart), {draft.a, draft.b, draft.a});
  EXPECT_EQ(draft.fault(), "sound");
}

TEST(Checker, AnOutputInThePlaceOfAnotherOperand) {
  Draft draft;
  draft.call_in_place(add_graph(kPart), {draft.a, draft.b, draft.b});
  EXPECT_EQ(draft.fault(), "program: graph 'graph' writes slot 'b', which it still needs");
}

TEST(Checker, AnOutputInThePlaceOfWhatALaterNodeReads) {
  Graph graph = add_graph(kPart);
  graph.outputs.push_back(Builder(graph).gelu(graph.inputs[0]));
  Draft draft;
  draft.call_in_place(graph, {draft.a, draft.b, draft.a, draft.c});
  EXPECT_EQ(draft.fault(), "program: graph 'graph' writes slot 'a', which it still needs");
}

TEST(Checker, AnOutputOfAnOpThatCannotOverwrite) {
  Graph graph;
  graph.outputs = {Builder(graph).reduce_sum(graph.add_input({DType::f32, {1, kPart}}, "x"), {kPart})};
  Draft draft;
  draft.call_in_place(graph, {draft.a, draft.a});
  EXPECT_EQ(draft.fault(), "program: graph 'graph' writes slot 'a', which it still needs");
}

TEST(Checker, TwoOutputsInOnePlace) {
  Graph graph = add_graph(kPart);
  graph.outputs.push_back(Builder(graph).gelu(graph.inputs[0]));
  Draft draft;
  draft.call_in_place(graph, {draft.a, draft.b, draft.c, draft.c});
  EXPECT_EQ(draft.fault(), "program: graph 'graph' writes slot 'c', which it still needs");
}

TEST(Checker, StepsOutsideOfPhases) {
  Program gap = small_program(2), rest = small_program(2);
  gap.phases[1].first_step += 1;
  rest.phases[1].end_step -= 1;
  EXPECT_EQ(fault_of(gap), "program: phase 'backward' starts at step 6, expected 5");
  EXPECT_EQ(fault_of(rest), "program: 1 steps belong to no phase");
}

// Any one step that goes missing breaks the small program, except for the update, without which the weights are stored
// as they were, and the last store, on which nothing depends.
TEST(Checker, EveryStepThatAnotherNeedsIsMissed) {
  const std::size_t steps = small_program(2).steps.size();
  for (std::size_t missing = 0; missing + 2 < steps; ++missing) {
    Program program = small_program(2);
    program.steps.erase(program.steps.begin() + static_cast<std::ptrdiff_t>(missing));
    for (Phase& phase : program.phases) {
      if (phase.first_step > static_cast<int>(missing)) --phase.first_step;
      if (phase.end_step > static_cast<int>(missing)) --phase.end_step;
    }
    EXPECT_NE(fault_of(program), "sound") << missing;
  }
}

}  // namespace
}  // namespace phasor::test
