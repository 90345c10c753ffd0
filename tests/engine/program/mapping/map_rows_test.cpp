// Programs before and after their activations and their state stay in remote rows.
#include "engine/program/mapping/map_rows.h"

#include <gtest/gtest.h>
#include <map>

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
  Pipeline pipeline(std::move(program));
  map_rows(pipeline);
  check_program(pipeline.first());
  return pipeline.first();
}

TEST(MapRows, WhatOneLayerMakesLiesWhereTheNextReadsIt) {
  const char* const text =
      "step\n"
      "  phase layer\n"
      "    load    weights[0] -> w  in place\n"
      "    repeat  i = 0 .. 1\n"
      "      load    in[0] -> batch\n"
      "      call    add(batch, w) -> y\n"
      "      store   y -> rows[0]  in place\n"
      "  phase layer\n"
      "    load    weights[1] -> w  in place\n"
      "    repeat  i = 0 .. 1\n"
      "      load    rows[0] -> x  in place\n"
      "      call    add(x, w) -> y\n"
      "      store   y -> rows[2]  in place\n";
  EXPECT_EQ(to_string(mapped(Layers().b.finish())), text);
}

// How many transfers of each buffer move nothing.
std::map<std::string, int> in_place(const Program& program) {
  std::map<std::string, int> counts;
  for (const Step step : program.steps) {
    if (is_transfer(step) && program.slots[step.slot].mapped) ++counts[program.buffers[step.buffer].spec.name];
  }
  return counts;
}
using Counts = std::map<std::string, int>;

// Rows that kernels may not use as they lie are copied, and of what the program makes all but activations.
TEST(MapRows, LeavesOtherRows) {
  EXPECT_EQ(in_place(mapped(Layers(kElements - 1).b.finish())), Counts{});
  EXPECT_EQ(in_place(mapped(Layers(kElements, Content::gradients).b.finish())), (Counts{{"weights", 2}}));
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
  EXPECT_EQ(in_place(mapped(program)), (Counts{{"rows", 6}, {"weights", 2}}));
  EXPECT_EQ(in_place(mapped(turns)), (Counts{{"weights", 2}}));
}

TEST(MapRows, OverlapLeavesWhatIsMapped) {
  const Program program = overlap(mapped(Layers().b.finish()), 2);
  check_program(program);
  for (const Step step : program.steps) {
    if (is_transfer(step)) {
      EXPECT_EQ(step.issues, !program.slots[step.slot].mapped);
    }
  }
  EXPECT_EQ(in_place(program), (Counts{{"rows", 6}, {"weights", 2}}));
}

// The same bits, in less memory, without a transfer.
TEST(MapRows, MovesNothing) {
  const Program program = Layers().b.finish(), in_place = mapped(program);
  int moved = 0;
  const auto store = [&] {
    moved = 0;
    return std::make_unique<HookedStore>(
        [&](HookedStore::Access, const std::string& region, std::int64_t) { moved += region == "in" ? 0 : 1; });
  };
  constexpr int kByHost = 4 + 2 * 2;  // reads every row behind the last step, and gives weights before the first
  const std::vector<float> expected = results_of(program, Strategy::best, store());
  EXPECT_EQ(moved, 2 * (6 + 2) + kByHost);
  EXPECT_EQ(results_of(in_place, Strategy::best, store()), expected);
  EXPECT_EQ(moved, kByHost);
  constexpr std::int64_t kSlotBytes = kElements * 4;
  EXPECT_EQ(plan_program(program, 1, Strategy::best).peak_bytes, 3 * kSlotBytes);
  EXPECT_EQ(plan_program(in_place, 1, Strategy::best).peak_bytes, kSlotBytes);
}

// Two slices of a row, each updated by the same numbers:  weights += in. `loads`: another section that loads all of it.
struct Slices {
  explicit Slices(std::int64_t elements = kElements, Section loads = Section::step, int device = 0)
      : b("slices", 1, 1, device) {
    const std::int64_t bytes = elements * 4;
    const BufferId weights = b.buffer({"weights", vector_spec(2 * elements), 1}, Origin::state);
    const BufferId in = b.buffer({"in", vector_spec(elements), 1}, Origin::host);
    const SlotId w = b.slot({.name = "w", .bytes = bytes}), x = b.slot({.name = "x", .bytes = bytes});
    if (loads != Section::step) {
      b.begin_phase("load", 0, 1, loads);
      b.load({weights, 0}, b.slot({.name = "kept", .bytes = 2 * bytes}));
    }
    b.begin_phase("update", 0, 1, Section::step);
    b.load({in, 0}, x);
    for (const std::int64_t offset : {std::int64_t{0}, bytes}) {
      b.load({weights, 0, offset}, w);
      b.call(b.graph("add", GraphKind::update, add_graph(elements)), {w, x, w});
      b.store(w, {weights, 0, offset});
    }
  }
  ProgramBuilder b;
};

TEST(MapRows, StateIsUpdatedWhereItLies) {
  const Program program = Slices().b.finish(), updated = mapped(program);
  EXPECT_EQ(in_place(updated), (Counts{{"weights", 4}}));
  EXPECT_EQ(results_of(updated, Strategy::best, memory_store()), results_of(program, Strategy::best, memory_store()));
}

// The second of two slices, which begins in the middle of a line of the cache.
TEST(MapRows, LeavesSlicesThatAreNotAligned) {
  EXPECT_EQ(in_place(mapped(Slices(kElements / 2).b.finish())), Counts{});
}

TEST(MapRows, LeavesStateThatStaysOnTheDevice) {
  Slices slices(kElements, Section::begin);
  const Program program = slices.b.finish();
  Pipeline pipeline(program);
  map_rows(pipeline);
  EXPECT_EQ(in_place(pipeline.first()), Counts{});
}

// Messages tell another device when a row has been loaded, not when what lies in it has been read.
TEST(MapRows, LeavesStateThatSeveralDevicesUse) {
  Pipeline pipeline;
  for (const int device : {0, 1}) pipeline.devices.push_back(Slices(kElements, Section::step, device).b.finish());
  map_rows(pipeline);
  for (const Program& program : pipeline.devices) EXPECT_EQ(in_place(program), Counts{});
}

// Whoever reads the state of the last step holds up the call that changes it, which no store follows that would wait.
TEST(MapRows, AnUpdateWaitsForThoseWhoReadTheState) {
  Machine machine(memory_store(), 1, 1);
  Runner runner(mapped(Slices().b.finish()), machine, Strategy::best);
  RemoteBuffer& weights = machine.memory["weights"];
  machine.memory["in"].store(0, 0, std::span<const float>(std::vector<float>(kElements, 1)));
  std::vector<std::vector<float>> seen;
  runner.before_state_changes([&] {
    seen.emplace_back(2 * kElements);
    weights.load(0, 0, std::span(seen.back()));
  });
  runner.run(Section::step);
  std::vector<float> half(2 * kElements, 0);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0], half);
  std::fill_n(half.begin(), kElements, 1.0F);
  EXPECT_EQ(seen[1], half);
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
