// Programs before and after their activations stay in remote rows.
#include "engine/program/mapping/map_rows.h"

#include <gtest/gtest.h>

#include "engine/program/check/checker.h"
#include "engine/program/overlap/overlap.h"
#include "engine/program/printer.h"
#include "tests/engine/program/program_results.h"
#include "tests/engine/program/small_program.h"
#include "tests/support/hooked_store.h"

namespace phasor::test {
namespace {

constexpr std::int64_t kElements = 16;  // of a row that kernels may use as it lies

// Two layers of  y = x + weights  on micro-batches, of whose result only sums over a row are of use.
struct Layers {
  explicit Layers(std::int64_t elements = kElements, Content content = Content::activations) {
    const auto bytes = elements * 4;
    const BufferId weights = b.buffer({"weights", vector_spec(elements), 2}, Origin::state);
    const BufferId in = b.buffer({"in", vector_spec(elements), 2}, Origin::host);
    const BufferId rows = b.buffer({"rows", vector_spec(elements), 4}, Origin::program);
    for (int n = 0; n < 2; ++n) {
      b.begin_phase("layer", n, 2, Section::step);
      const SlotId w = b.slot({.name = "w", .phase = "layer", .bytes = bytes});
      const SlotId x = b.slot({.name = n == 0 ? "batch" : "x", .phase = "layer", .content = content, .bytes = bytes});
      const SlotId y = b.slot({.name = "y", .phase = "layer", .content = content, .bytes = bytes});
      b.load({weights, n}, w);
      for (int m = 0; m < 2; ++m) {
        const auto turn = b.micro_batch(m);
        b.load(n == 0 ? phasor::Row{in, m} : phasor::Row{rows, m}, x);
        b.call(b.graph("add", GraphKind::forward, add_graph(elements)), {x, w, y});
        b.store(y, {rows, std::int64_t{2} * n + m});
      }
    }
  }
  ProgramBuilder b{"layers", 1, 2};
};

Program mapped(Program program) {
  check_program(program);
  map_rows(program);
  check_program(program);
  return program;
}

TEST(MapRows, WhatOneLayerMakesLiesWhereTheNextReadsIt) {
  const char* const text =
      "step\n"
      "  phase layer\n"
      "    load    weights[0] -> w\n"
      "    repeat  i = 0 .. 1\n"
      "      load    in[0] -> batch\n"
      "      call    add(batch, w) -> y\n"
      "      store   y -> rows[0]  in place\n"
      "  phase layer\n"
      "    load    weights[1] -> w\n"
      "    repeat  i = 0 .. 1\n"
      "      load    rows[0] -> x  in place\n"
      "      call    add(x, w) -> y\n"
      "      store   y -> rows[2]  in place\n";
  EXPECT_EQ(to_string(mapped(Layers().b.finish())), text);
}

// Rows that kernels may not use as they lie, and what is not activations, are copied.
TEST(MapRows, LeavesOtherRows) {
  for (const auto& [elements, content] :
       {std::pair{kElements - 1, Content::activations}, std::pair{kElements, Content::gradients}}) {
    const Program program = Layers(elements, content).b.finish();
    EXPECT_EQ(to_string(mapped(program)), to_string(program));
  }
}

// A row that is written while its last value is in use is copied, and with it all of its buffer.
TEST(MapRows, LeavesABufferWhoseRowsAreUpdated) {
  Layers layers;
  const Program program = layers.b.finish();
  Program turns = program;
  for (std::size_t i = 0; i < turns.steps.size(); ++i) {
    Step step = turns.steps[i];
    if (step.kind == StepKind::store && step.row >= 2) step.row -= 2;
    turns.steps.set(i, step);
  }
  EXPECT_NE(to_string(mapped(program)), to_string(program));
  EXPECT_EQ(to_string(mapped(turns)), to_string(turns));
}

TEST(MapRows, OverlapLeavesWhatIsMapped) {
  const Program program = overlap(mapped(Layers().b.finish()), 2);
  check_program(program);
  int in_place = 0;
  for (const Step step : program.steps) {
    if (!is_transfer(step)) continue;
    EXPECT_EQ(step.issues, !program.slots[step.slot].mapped);
    in_place += program.slots[step.slot].mapped ? 1 : 0;
  }
  EXPECT_EQ(in_place, 6);
}

// The same bits, in less memory, without a transfer.
TEST(MapRows, MovesNothing) {
  const Program program = Layers().b.finish(), in_place = mapped(program);
  int moved = 0;
  const auto store = [&] {
    moved = 0;
    return std::make_unique<HookedStore>(
        [&](HookedStore::Access, const std::string& region, std::int64_t) { moved += region == "rows" ? 1 : 0; });
  };
  constexpr int kByHost = 4;  // reads every row behind the last step
  const std::vector<float> expected = results_of(program, Strategy::best, store());
  EXPECT_EQ(moved, 2 * 6 + kByHost);
  EXPECT_EQ(results_of(in_place, Strategy::best, store()), expected);
  EXPECT_EQ(moved, kByHost);
  constexpr std::int64_t kSlotBytes = kElements * 4;
  EXPECT_EQ(plan_program(program, 1, Strategy::best).peak_bytes, 3 * kSlotBytes);
  EXPECT_EQ(plan_program(in_place, 1, Strategy::best).peak_bytes, 2 * kSlotBytes);
}

TEST(MapRows, AStoreWithoutMemoryOfItsOwnSaysSo) {
  class Elsewhere : public Store {
   public:
    Region create(const std::string& /*name*/, std::int64_t /*bytes*/) override { return 0; }
    void read(Region /*region*/, std::int64_t /*offset*/, std::span<std::byte> /*to*/) const override {}
    void write(Region /*region*/, std::int64_t /*offset*/, std::span<const std::byte> /*from*/) override {}
  };
  EXPECT_THROW(results_of(mapped(Layers().b.finish()), Strategy::best, std::make_unique<Elsewhere>()), InternalError);
}

}  // namespace
}  // namespace phasor::test
