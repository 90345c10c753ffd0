// Things that do not fit each other, planted in a program and found with their name and place: sizes of slots, and
// outputs in a place that is still needed.
#include <gtest/gtest.h>

#include "tests/engine/program/check/draft.h"

namespace phasor::test {
namespace {

TEST(CheckerSizes, SizesOfTransfers) {
  Draft loaded, stored, beyond;
  loaded.builder.load({loaded.state, 0}, loaded.wide);
  stored.builder.zero(stored.wide);
  stored.builder.store(stored.wide, {stored.state, 0});
  beyond.builder.load({beyond.state, 0, 4}, beyond.a);
  EXPECT_EQ(loaded.fault(),
            "program: phase 'phase' instance 3, step 0: slot 'wide' of 32 bytes at byte 0 of a row of 16");
  EXPECT_EQ(stored.fault(),
            "program: phase 'phase' instance 3, step 1: slot 'wide' of 32 bytes at byte 0 of a row of 16");
  EXPECT_EQ(beyond.fault(), "program: phase 'phase' instance 3, step 0: slot 'a' of 16 bytes at byte 4 of a row of 16");
}

// Each part of a row is written once and before it is read.
TEST(CheckerSizes, PartsOfRows) {
  Draft parts, torn, twice;
  const SlotId small = parts.builder.slot({.name = "small", .bytes = 8});
  for (int offset : {0, 8}) {
    parts.builder.load({parts.state, 0, offset}, small);
    parts.builder.store(small, {parts.state, 0, offset});
  }
  EXPECT_EQ(parts.fault(), "sound");
  for (Draft* draft : {&torn, &twice}) {
    const SlotId half = draft->builder.slot({.name = "half", .bytes = 8});
    draft->builder.zero(half);
    draft->builder.store(half, {draft->own, 0, 8});
  }
  torn.builder.load({torn.own, 0}, torn.a);
  torn.builder.store(torn.a, {torn.state, 0});
  EXPECT_EQ(torn.fault(), "program: phase 'phase' instance 3, step 2 loads row 0 of buffer 'own' before it is stored");
  twice.builder.zero(twice.a);
  twice.builder.store(twice.a, {twice.own, 0});
  EXPECT_EQ(twice.fault(),
            "program: phase 'phase' instance 3, step 3 stores row 0 of buffer 'own', which nothing has loaded since "
            "its store");
}

// In whatever order the parts were stored, the row is there when all of them are, and each may then be stored again.
TEST(CheckerSizes, RowsStoredInPartsAreLoadedWhole) {
  for (const int first : {0, 8}) {
    Draft whole, again, lost;
    for (Draft* draft : {&whole, &again, &lost}) {
      const SlotId half = draft->builder.slot({.name = "half", .bytes = 8});
      draft->builder.zero(half);
      for (const int offset : {first, 8 - first}) draft->builder.store(half, {draft->own, 0, offset});
      if (draft == &lost) {
        draft->builder.load({draft->own, 0, first}, half);
      } else {
        draft->builder.load({draft->own, 0}, draft->a);
        draft->builder.store(draft->a, {draft->state, 0});
      }
      if (draft != &whole) draft->builder.store(half, {draft->own, 0, 8 - first});
    }
    EXPECT_EQ(whole.fault(), "sound") << first;
    EXPECT_EQ(again.fault(), "sound") << first;
    EXPECT_EQ(lost.fault(),
              "program: phase 'phase' instance 3, step 4 stores row 0 of buffer 'own', which nothing has loaded since "
              "its store")
        << first;
  }
}

TEST(CheckerSizes, SizesOfCollectives) {
  Draft gathered, scattered;
  gathered.builder.zero(gathered.a);
  gathered.builder.gather(gathered.a, gathered.b);
  scattered.builder.zero(scattered.a);
  scattered.builder.reduce_scatter(scattered.a, scattered.b);
  EXPECT_EQ(gathered.fault(), "program: phase 'phase' instance 3, step 1: slot 'b' has 16 bytes, expected 32");
  EXPECT_EQ(scattered.fault(), "program: phase 'phase' instance 3, step 1: slot 'a' has 16 bytes, expected 32");
}

// Sums are of float32.
TEST(CheckerSizes, SizesThatHoldNoNumbers) {
  ProgramBuilder reduced("test", 1), scattered("test", 2);
  for (ProgramBuilder* b : {&reduced, &scattered}) {
    b->begin_phase("phase", 3, 4, Section::step);
    b->zero(b->slot({.name = "wide", .bytes = 12}));
  }
  reduced.zero(reduced.slot({.name = "odd", .bytes = 6}));
  reduced.all_reduce(reduced.slot({.name = "odd", .bytes = 6}));
  scattered.reduce_scatter(scattered.slot({.name = "wide", .bytes = 12}), scattered.slot({.name = "odd", .bytes = 6}));
  EXPECT_EQ(fault_of(reduced.finish()),
            "program: phase 'phase' instance 3, step 2: slot 'odd' has 6 bytes, expected numbers of 4");
  EXPECT_EQ(fault_of(scattered.finish()),
            "program: phase 'phase' instance 3, step 1: slot 'odd' has 6 bytes, expected numbers of 4");
}

// Two replicas with up to three leaves each hold two partial sums at most.
TEST(CheckerSizes, SizesOfPartialSums) {
  const auto fault = [](auto add) {
    Draft draft;
    draft.builder.zero(draft.a);
    draft.builder.zero(draft.wide);
    const auto turn = draft.builder.micro_batch(0);
    add(draft.builder, draft);
    return draft.fault();
  };
  const std::string place = "program: phase 'phase' instance 3, step 2: ";
  EXPECT_EQ(fault([](ProgramBuilder& b, Draft& d) { b.add_leaf(d.a, d.b); }),
            place + "slot 'b' has 16 bytes, expected 32");
  EXPECT_EQ(fault([](ProgramBuilder& b, Draft& d) { b.all_reduce_partials(d.a, d.b); }),
            place + "slot 'a' has 16 bytes, expected 32");
  EXPECT_EQ(fault([](ProgramBuilder& b, Draft& d) { b.reduce_scatter_partials(d.wide, d.a); }),
            place + "slot 'wide' has 32 bytes, expected 64");
  EXPECT_EQ(fault([](ProgramBuilder& b, Draft&) {
              b.add_leaf(b.slot({.name = "odd", .bytes = 6}), b.slot({.name = "partials", .bytes = 12}));
            }),
            place + "slot 'odd' has 6 bytes, expected numbers of 4");
}

TEST(CheckerSizes, SizesOfCalls) {
  Draft few, small;
  few.call_in_place(add_graph(kPart), {few.a, few.b});
  small.call_in_place(add_graph(2 * kPart), {small.wide, small.a, small.wide});
  EXPECT_EQ(few.fault(), "program: graph 'graph' is called on 2 slots, expected 3");
  EXPECT_EQ(small.fault(), "program: graph 'graph': slot 'a' of 16 bytes holds f32[8] at byte 0");
}

TEST(CheckerSizes, AnOutputMayTakeThePlaceOfWhatItsOpOverwrites) {
  Draft draft;
  draft.call_in_place(add_graph(kPart), {draft.a, draft.b, draft.a});
  draft.builder.store(draft.a, {draft.state, 0});
  EXPECT_EQ(draft.fault(), "sound");
}

// Nobody needs the input any more when the output is written, whatever the op may overwrite.
TEST(CheckerSizes, AnOutputMayTakeThePlaceOfWhatEarlierNodesRead) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input({DType::f32, {2, 2}}, "x");
  graph.outputs = {b.transpose(b.gelu(x))};
  Draft draft;
  draft.call_in_place(graph, {draft.a, draft.a});
  draft.builder.store(draft.a, {draft.state, 0});
  EXPECT_EQ(draft.fault(), "sound");
}

TEST(CheckerSizes, AnOutputInThePlaceOfAnotherOperand) {
  Draft draft;
  draft.call_in_place(add_graph(kPart), {draft.a, draft.b, draft.b});
  EXPECT_EQ(draft.fault(), "program: graph 'graph' writes slot 'b', which it still needs");
}

TEST(CheckerSizes, AnOutputInThePlaceOfWhatALaterNodeReads) {
  Graph graph = add_graph(kPart);
  graph.outputs.push_back(Builder(graph).gelu(graph.inputs[0]));
  Draft draft;
  draft.call_in_place(graph, {draft.a, draft.b, draft.a, draft.c});
  EXPECT_EQ(draft.fault(), "program: graph 'graph' writes slot 'a', which it still needs");
}

TEST(CheckerSizes, AnOutputOfAnOpThatCannotOverwrite) {
  Graph graph;
  graph.outputs = {Builder(graph).reduce_sum(graph.add_input({DType::f32, {1, kPart}}, "x"), {kPart})};
  Draft draft;
  draft.call_in_place(graph, {draft.a, draft.a});
  EXPECT_EQ(draft.fault(), "program: graph 'graph' writes slot 'a', which it still needs");
}

TEST(CheckerSizes, TwoOutputsInOnePlace) {
  Graph graph = add_graph(kPart);
  graph.outputs.push_back(Builder(graph).gelu(graph.inputs[0]));
  Draft draft;
  draft.call_in_place(graph, {draft.a, draft.b, draft.c, draft.c});
  EXPECT_EQ(draft.fault(), "program: graph 'graph' writes slot 'c', which it still needs");
}

TEST(CheckerSizes, OperandsInOneSlotShareNoByte) {
  for (const auto& [offset, fault] : {std::pair<std::int64_t, std::string>{16, "sound"},
                                      {8, "program: graph 'graph' writes slot 'wide', which it still needs"}}) {
    Draft draft;
    draft.builder.zero(draft.wide);
    draft.builder.load({draft.state, 0}, draft.b);
    const GraphId graph = draft.builder.graph("graph", GraphKind::forward, add_graph(kPart));
    draft.builder.call(graph, {draft.wide, draft.b, draft.wide}, {0, 0, offset});
    draft.builder.call(graph, {draft.b, draft.wide, draft.b}, {0, offset, 0});
    draft.builder.store(draft.b, {draft.state, 0});
    EXPECT_EQ(draft.fault(), fault);
  }
}

}  // namespace
}  // namespace phasor::test
