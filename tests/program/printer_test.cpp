#include "engine/program/printer.h"

#include <gtest/gtest.h>

#include "tests/program/small_program.h"

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
  const int batch = b.buffer({"batch", vector_spec(kPart), 3}, Origin::host);
  const int state = b.buffer({"state", vector_spec(kPart), 2}, Origin::state);
  const int sum = b.slot("phase/sum", 16), x = b.slot("phase/x", 16);
  for (int n : {1, 0}) {
    b.begin_phase("sum", n, 2, Section::step);
    b.zero(sum);
    for (int m = 0; m < 3; ++m) {
      b.set_micro_batch(m);
      b.load(batch, m, x);
      b.call(b.graph("add", add_graph(kPart)), {sum, x, sum});
    }
    b.set_micro_batch(-1);
    b.store(sum, state, n);
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

}  // namespace
}  // namespace phasor::test
