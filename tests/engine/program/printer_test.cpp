#include "engine/program/printer.h"

#include <gtest/gtest.h>

#include "tests/engine/program/small_program.h"

namespace phasor::test {
namespace {

TEST(ProgramPrinter, Phases) {
  EXPECT_EQ(to_string(small_program(2)),
            "step\n"
            "  phase forward\n"
            "    load    weights[0] -> w\n"
            "    gather  w -> gathered\n"
            "    load    batch[0] -> x\n"
            "    call    forward(gathered, x) -> y\n"
            "    store   y -> kept[0]\n"
            "  phase backward\n"
            "    load    kept[0] -> dy\n"
            "    reduce  dy -> g  sum, scatter\n"
            "    load    weights[0] -> w\n"
            "    call    update(w, g) -> w\n"
            "    store   w -> weights[0]\n");
}

TEST(ProgramPrinter, Sections) {
  EXPECT_EQ(to_string(resident_program(2)),
            "begin\n"
            "  phase load\n"
            "    load    total[0] -> sum\n"
            "step\n"
            "  phase add\n"
            "    load    batch[0] -> x\n"
            "    reduce  x  sum\n"
            "    call    add(sum, x) -> sum\n"
            "end\n"
            "  phase store\n"
            "    store   sum -> total[0]\n");
}

// The first instance stands for all, and so does the first micro-batch.
TEST(ProgramPrinter, FoldsInstancesAndMicroBatches) {
  ProgramBuilder b("test", 1);
  const BufferId batch = b.buffer({"batch", vector_spec(kPart), 3}, Origin::host);
  const BufferId state = b.buffer({"state", vector_spec(kPart), 2}, Origin::state);
  const SlotId sum = b.slot({.name = "sum", .phase = "phase", .bytes = 16}),
               x = b.slot({.name = "x", .phase = "phase", .bytes = 16});
  for (int n : {1, 0}) {
    b.begin_phase("sum", n, 2, Section::step);
    b.zero(sum);
    for (int m = 0; m < 3; ++m) {
      const auto turn = b.turn(m);
      b.load({batch, m}, x);
      b.call(b.graph("add", GraphKind::forward, add_graph(kPart)), {sum, x, sum});
    }
    b.store(sum, {state, n});
  }
  EXPECT_EQ(to_string(b.finish()),
            "step\n"
            "  phase sum  for n = 1 .. 0\n"
            "    zero    sum\n"
            "    repeat  i = 0 .. 2\n"
            "      load    batch[0] -> x\n"
            "      call    add(sum, x) -> sum\n"
            "    store   sum -> state[1]\n");
}

// Turns of micro-batches that do not look alike are not folded. Waits share a line. A slot of another phase carries its
// phase's name.
TEST(ProgramPrinter, TransfersUnderWay) {
  ProgramBuilder b("test", 1);
  const BufferId batch = b.buffer({"batch", vector_spec(kPart), 3}, Origin::host);
  const BufferId out = b.buffer({"out", vector_spec(kPart), 3}, Origin::program);
  const SlotId x[] = {b.slot({.name = "x", .phase = "first", .bytes = 16, .copy = 0}),
                      b.slot({.name = "x", .phase = "first", .bytes = 16, .copy = 1})},
               y = b.slot({.name = "y", .phase = "second", .bytes = 16});
  b.begin_phase("first", 0, 1, Section::step);
  b.issue_load({batch, 0}, x[0]);
  for (int m = 0; m < 3; ++m) {
    const auto turn = b.turn(m);
    if (m < 2) b.issue_load({batch, m + 1}, x[(m + 1) % 2]);
    if (m == 2) b.issue_load({batch, 0}, y);
    b.wait(x[m % 2]);
    b.store(x[m % 2], {out, m});
  }
  b.issue_load({batch, 0}, x[0]);
  b.begin_phase("second", 0, 1, Section::step);
  b.wait(x[0]);
  b.wait(y);
  b.call(b.graph("add", GraphKind::forward, add_graph(kPart)), {x[0], y, y});
  EXPECT_EQ(to_string(b.finish()),
            "step\n"
            "  phase first\n"
            "    load    batch[0] -> x#0  issue\n"
            "    repeat  i = 0 .. 1\n"
            "      load    batch[1] -> x#1  issue\n"
            "      wait    x#0\n"
            "      store   x#0 -> out[0]\n"
            "    repeat  i = 2 .. 2\n"
            "      load    batch[0] -> second/y  issue\n"
            "      wait    x#0\n"
            "      store   x#0 -> out[2]\n"
            "    load    batch[0] -> x#0  issue\n"
            "  phase second\n"
            "    wait    first/x#0, y\n"
            "    call    add(first/x#0, y) -> y\n");
}

}  // namespace
}  // namespace phasor::test
