// Programs before and after their transfers move.
#include "engine/program/overlap/overlap.h"

#include <gtest/gtest.h>

#include "engine/program/check/checker.h"
#include "engine/program/memory/program_plan.h"
#include "engine/program/printer.h"
#include "tests/engine/program/small_program.h"

namespace phasor::test {
namespace {

constexpr std::int64_t kBytes = kPart * 4;

// The text of the overlapped program, which is sound.
std::string overlapped(Program program, OverlapDepth depth) {
  check_program(program);
  const Program result = overlap(std::move(program), depth);
  check_program(result);
  return to_string(result);
}

TEST(Overlap, DepthZeroChangesNothing) { EXPECT_EQ(overlapped(small_program(2), 0), to_string(small_program(2))); }

// Weights come a phase ahead. kept[0] is loaded as soon as its store is issued.
TEST(Overlap, TheSmallProgram) {
  EXPECT_EQ(overlapped(small_program(2), 1),
            "step\n"
            "  phase forward\n"
            "    load    weights[0] -> w  issue\n"
            "    load    batch[0] -> x  issue\n"
            "    load    weights[0] -> backward/w  issue\n"
            "    wait    w\n"
            "    gather  w -> gathered\n"
            "    wait    x\n"
            "    call    forward(gathered, x) -> y\n"
            "    store   y -> kept[0]  issue\n"
            "  phase backward\n"
            "    load    kept[0] -> dy  issue\n"
            "    wait    dy\n"
            "    reduce  dy -> g  sum, scatter\n"
            "    wait    w\n"
            "    call    update(w, g) -> w\n"
            "    store   w -> weights[0]  issue\n"
            "    wait    forward/y, w\n");
}

// `instances` phases that update a row of the weights each, in place, with rows of `batch`.
Program update_program(int instances) {
  ProgramBuilder b("update", 1);
  const BufferId weights = b.buffer({"weights", vector_spec(kPart), instances}, Origin::state);
  const BufferId batch = b.buffer({"batch", vector_spec(kPart), instances}, Origin::host);
  const SlotId w = b.slot({.name = "w", .phase = "update", .bytes = kBytes}),
               x = b.slot({.name = "x", .phase = "update", .bytes = kBytes});
  for (int n = 0; n < instances; ++n) {
    b.begin_phase("update", n, instances, Section::step);
    b.load({weights, n}, w);
    b.load({batch, n}, x);
    b.call(b.graph("add", GraphKind::forward, add_graph(kPart)), {w, x, w});
    b.store(w, {weights, n});
  }
  return b.finish();
}

// The update is in place: load, call and store are one web, in one copy. The load of the third phase is issued behind
// the store of the first, from the same copy and through the same queue; nothing waits in between.
TEST(Overlap, WeightsAPhaseAhead) {
  EXPECT_EQ(overlapped(update_program(4), 1),
            "step\n"
            "  phase update\n"
            "    load    weights[0] -> w#0  issue\n"
            "    load    batch[0] -> x#0  issue\n"
            "    load    weights[1] -> w#1  issue\n"
            "    load    batch[1] -> x#1  issue\n"
            "    wait    w#0, x#0\n"
            "    call    add(w#0, x#0) -> w#0\n"
            "    store   w#0 -> weights[0]  issue\n"
            "  phase update  for n = 1 .. 2\n"
            "    load    weights[2] -> w#0  issue\n"
            "    load    batch[2] -> x#0  issue\n"
            "    wait    w#1, x#1\n"
            "    call    add(w#1, x#1) -> w#1\n"
            "    store   w#1 -> weights[1]  issue\n"
            "  phase update\n"
            "    wait    w#1, x#1\n"
            "    call    add(w#1, x#1) -> w#1\n"
            "    store   w#1 -> weights[3]  issue\n"
            "    wait    w#0, w#1\n");
}

TEST(Overlap, WeightsTwoPhasesAhead) {
  const Program program = overlap(update_program(8), 2);
  check_program(program);
  EXPECT_EQ(program.slots.size(), 6);  // three copies of each
  // The fifth phase loads for the seventh, in the copy of the fourth.
  const Phase& phase = program.phases[4];
  const Step& load = program.steps[phase.first_step];
  EXPECT_EQ(load.kind, StepKind::load);
  EXPECT_EQ(load.row, 6);
  EXPECT_EQ(fmt::format("{}", program.slots[load.slot]), "update/w#0");
}

// Every phase updates the same row of the weights: no load may overtake the store of the phase before.
TEST(Overlap, ALoadStaysBehindTheStoreOfItsRow) {
  Program program = update_program(3);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    Step step = program.steps[i];
    if (is_transfer(step) && step.buffer == 0) step.row = 0;
    program.steps.set(i, step);
  }
  EXPECT_EQ(overlapped(std::move(program), 1),
            "step\n"
            "  phase update\n"
            "    load    weights[0] -> w#0  issue\n"
            "    load    batch[0] -> x#0  issue\n"
            "    load    batch[1] -> x#1  issue\n"
            "    wait    w#0, x#0\n"
            "    call    add(w#0, x#0) -> w#0\n"
            "    store   w#0 -> weights[0]  issue\n"
            "  phase update\n"
            "    load    weights[0] -> w#1  issue\n"
            "    load    batch[2] -> x#0  issue\n"
            "    wait    w#1, x#1\n"
            "    call    add(w#1, x#1) -> w#1\n"
            "    store   w#1 -> weights[0]  issue\n"
            "    wait    w#0\n"
            "  phase update\n"
            "    load    weights[0] -> w#0  issue\n"
            "    wait    w#0, x#0\n"
            "    call    add(w#0, x#0) -> w#0\n"
            "    store   w#0 -> weights[0]  issue\n"
            "    wait    w#1, w#0\n");
}

// y = x + weights for each micro-batch.
Program stream_program(int micro_batches) {
  ProgramBuilder b("stream", 1);
  const BufferId weights = b.buffer({"weights", vector_spec(kPart), 1}, Origin::state);
  const BufferId in = b.buffer({"in", vector_spec(kPart), micro_batches}, Origin::host);
  const BufferId out = b.buffer({"out", vector_spec(kPart), micro_batches}, Origin::program);
  const SlotId w = b.slot({.name = "w", .bytes = kBytes}), x = b.slot({.name = "x", .bytes = kBytes}),
               y = b.slot({.name = "y", .bytes = kBytes});
  b.begin_phase("stream", 0, 1, Section::step);
  b.load({weights, 0}, w);
  for (int m = 0; m < micro_batches; ++m) {
    const auto turn = b.turn(m);
    b.load({in, m}, x);
    b.call(b.graph("add", GraphKind::forward, add_graph(kPart)), {x, w, y});
    b.store(y, {out, m});
  }
  return b.finish();
}

// Double buffers: the call of one micro-batch runs beside the load of the next and the store of the one before.
TEST(Overlap, RowsOfMicroBatches) {
  EXPECT_EQ(overlapped(stream_program(6), 1),
            "step\n"
            "  phase stream\n"
            "    load    weights[0] -> w  issue\n"
            "    load    in[0] -> x#0  issue\n"
            "    repeat  i = 0 .. 0\n"
            "      load    in[1] -> x#1  issue\n"
            "      wait    x#0, w\n"
            "      call    add(x#0, w) -> y#0\n"
            "      store   y#0 -> out[0]  issue\n"
            "    repeat  i = 1 .. 1\n"
            "      load    in[2] -> x#0  issue\n"
            "      wait    x#1\n"
            "      call    add(x#1, w) -> y#1\n"
            "      store   y#1 -> out[1]  issue\n"
            "    repeat  i = 2 .. 4\n"
            "      load    in[3] -> x#1  issue\n"
            "      wait    y#0, x#0\n"
            "      call    add(x#0, w) -> y#0\n"
            "      store   y#0 -> out[2]  issue\n"
            "    repeat  i = 5 .. 5\n"
            "      wait    y#1, x#1\n"
            "      call    add(x#1, w) -> y#1\n"
            "      store   y#1 -> out[5]  issue\n"
            "    wait    y#0, y#1\n");
}

// Rows of micro-batches do not stand in line behind weights.
TEST(Overlap, AQueueForMicroBatchesAndOneForTheRest) {
  const Program program = overlap(stream_program(2), 1);
  for (const Buffer& buffer : program.buffers) {
    EXPECT_EQ(buffer.queue, buffer.spec.name == "weights" ? Queue::bulk : Queue::micro_batch) << buffer.spec.name;
  }
}

// What stays on the device has one place and is loaded and stored at once.
TEST(Overlap, WhatIsCarriedOverStepsStaysAsItIs) {
  EXPECT_EQ(overlapped(resident_program(2), 2),
            "begin\n"
            "  phase load\n"
            "    load    total[0] -> sum\n"
            "step\n"
            "  phase add\n"
            "    load    batch[0] -> x  issue\n"
            "    wait    x\n"
            "    reduce  x  sum\n"
            "    call    add(sum, x) -> sum\n"
            "end\n"
            "  phase store\n"
            "    store   sum -> total[0]\n");
}

// Loops have a depth of their own.
TEST(Overlap, LoopsApartFromPhases) {
  EXPECT_EQ(overlapped(stream_program(3), {0, 1}), overlapped(stream_program(3), 1));
  EXPECT_EQ(overlapped(stream_program(3), {1, 0}),
            "step\n"
            "  phase stream\n"
            "    load    weights[0] -> w  issue\n"
            "    repeat  i = 0 .. 0\n"
            "      load    in[0] -> x  issue\n"
            "      wait    x, w\n"
            "      call    add(x, w) -> y\n"
            "      store   y -> out[0]  issue\n"
            "    repeat  i = 1 .. 2\n"
            "      load    in[1] -> x  issue\n"
            "      wait    y, x\n"
            "      call    add(x, w) -> y\n"
            "      store   y -> out[1]  issue\n"
            "    wait    y\n");
  EXPECT_EQ(overlapped(update_program(3), {0, 1}),
            "step\n"
            "  phase update  for n = 0 .. 2\n"
            "    load    weights[0] -> w  issue\n"
            "    load    batch[0] -> x  issue\n"
            "    wait    w, x\n"
            "    call    add(w, x) -> w\n"
            "    store   w -> weights[0]  issue\n"
            "    wait    w\n");
}

// The copies are all that it costs: w and x of two phases instead of one.
TEST(Overlap, TheCopiesArePlanned) {
  EXPECT_EQ(plan_program(update_program(4), 1).peak_bytes, 2 * kAlignment);
  EXPECT_EQ(plan_program(overlap(update_program(4), 1), 1).peak_bytes, 4 * kAlignment);
  EXPECT_EQ(plan_program(overlap(update_program(4), 2), 1).peak_bytes, 6 * kAlignment);
}

}  // namespace
}  // namespace phasor::test
