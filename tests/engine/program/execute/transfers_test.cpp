// Transfers of a running program: on which threads they run, what an error leaves of them, and what loads see of rows
// that were stored in parts.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "engine/program/check/checker.h"
#include "engine/program/execute/runner.h"
#include "engine/program/overlap/overlap.h"
#include "tests/engine/program/small_program.h"
#include "tests/support/hooked_store.h"

namespace phasor::test {
namespace {

constexpr std::int64_t kRowBytes = kPart * 4;

// Copies a row of `near`, of the queue of micro-batches, and one of `far`, of the other, to the rows of `copied`.
Program copying_program(bool issues) {
  ProgramBuilder b("copying", 1);
  const BufferId near = b.buffer({"near", vector_spec(kPart), 1}, Origin::host);
  const BufferId far = b.buffer({"far", vector_spec(kPart), 1}, Origin::host);
  const BufferId copied = b.buffer({"copied", vector_spec(kPart), 2}, Origin::program);
  const SlotId x = b.slot({.name = "x", .bytes = kRowBytes}), y = b.slot({.name = "y", .bytes = kRowBytes});
  b.begin_phase("copy", 0, 1, Section::step);
  if (issues) {
    b.issue_load({near, 0}, x);
    b.issue_load({far, 0}, y);
    b.wait(x);
    b.wait(y);
  } else {
    b.load({near, 0}, x);
    b.load({far, 0}, y);
  }
  b.store(x, {copied, 0});
  b.store(y, {copied, 1});
  Program program = b.finish();
  program.buffers[static_cast<std::size_t>(far)].queue = Queue::bulk;
  return program;
}

// Of the reads of each buffer, when the program runs once.
std::map<std::string, std::thread::id> reading_threads(Program program, std::thread::id& replica) {
  std::mutex mutex;
  std::map<std::string, std::thread::id> threads;
  Machine machine(std::make_unique<HookedStore>([&](HookedStore::Access access, const std::string& region, auto) {
                    const std::lock_guard lock(mutex);
                    if (access == HookedStore::Access::read) threads[region] = std::this_thread::get_id();
                  }),
                  1, 1);
  Runner runner(std::move(program), machine);
  machine.replicas.run([&](int) { replica = std::this_thread::get_id(); });
  runner.run(Section::step);
  return threads;
}

// Otherwise nothing would run beside compute, and no result would show it.
TEST(Transfers, ThatAreIssuedRunOnThreadsOfTheirQueues) {
  std::thread::id replica;
  auto threads = reading_threads(copying_program(true), replica);
  EXPECT_EQ((std::set{replica, threads["near"], threads["far"]}).size(), 3U);
}

// The replica's team copies faster than a thread beside it, which would have to be waited for.
TEST(Transfers, OfAProgramThatIssuesNoneRunOnTheReplicasThread) {
  std::thread::id replica;
  for (const auto& [region, thread] : reading_threads(copying_program(false), replica)) {
    EXPECT_EQ(thread, replica) << region;
  }
}

// Whoever catches the error may look at remote memory, or let the arena go.
TEST(Transfers, NoneIsUnderWayAfterAnError) {
  ProgramBuilder b("failing", 1);
  const BufferId bad = b.buffer({"bad", vector_spec(kPart), 1}, Origin::host);
  const BufferId slow = b.buffer({"slow", vector_spec(kPart), 2}, Origin::host);
  const BufferId out = b.buffer({"out", vector_spec(kPart), 1}, Origin::program);
  const SlotId x = b.slot({.name = "x", .bytes = kRowBytes}), y = b.slot({.name = "y", .bytes = kRowBytes}),
               z = b.slot({.name = "z", .bytes = kRowBytes});
  b.begin_phase("load", 0, 1, Section::step);
  b.load({slow, 0}, z);
  b.issue_store(z, {out, 0});
  b.issue_load({slow, 1}, y);
  b.issue_load({bad, 0}, x);
  b.wait(x);
  b.wait(y);
  b.wait(z);
  Program program = b.finish();
  for (const int buffer : {slow, out}) program.buffers[static_cast<std::size_t>(buffer)].queue = Queue::bulk;

  std::atomic<int> done = 0;
  Machine machine(std::make_unique<HookedStore>([&](auto, const std::string& region, std::int64_t) {
                    check(region != "bad", "the disk is gone");
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    ++done;
                  }),
                  1, 1);
  Runner runner(std::move(program), machine);
  EXPECT_THROW(runner.run(Section::step), UserError);
  EXPECT_EQ(done, 3);
}

TEST(Transfers, NoneIsUnderWayAfterAnErrorOfACall) {
  Graph graph;
  const Value logits = graph.add_input({DType::f32, {1, kPart}}, "logits");
  const Value labels = graph.add_input({DType::i32, {1}}, "labels"), weights = graph.add_input(vector_spec(1), "w");
  graph.outputs = {Builder(graph).cross_entropy(logits, labels, weights)};
  ProgramBuilder b("failing", 1);
  const BufferId label = b.buffer({"label", {DType::i32, {1}}, 1}, Origin::host);
  const BufferId weight = b.buffer({"weight", vector_spec(1), 1}, Origin::host);
  const BufferId slow = b.buffer({"slow", vector_spec(kPart), 1}, Origin::host);
  const SlotId x = b.slot({.name = "x", .bytes = kRowBytes}), y = b.slot({.name = "y", .bytes = 4}),
               w = b.slot({.name = "w", .bytes = 4}), loss = b.slot({.name = "loss", .bytes = 4});
  const SlotId later = b.slot({.name = "later", .bytes = kRowBytes});
  b.begin_phase("loss", 0, 1, Section::step);
  b.zero(x);
  b.load({label, 0}, y);
  b.load({weight, 0}, w);
  b.issue_load({slow, 0}, later);
  b.call(b.graph("loss", GraphKind::forward, graph), {x, y, w, loss});
  b.wait(later);

  std::atomic<bool> done = false;
  Machine machine(std::make_unique<HookedStore>([&](auto, const std::string& region, std::int64_t) {
                    if (region != "slow") return;
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    done = true;
                  }),
                  1, 1);
  Runner runner(b.finish(), machine);
  const std::array<std::int32_t, 1> none{kPart};  // there are labels below
  const std::array<float, 1> one{1};
  machine.memory["label"].store(0, 0, std::span(none));
  machine.memory["weight"].store(0, 0, std::span(one));
  EXPECT_THROW(runner.run(Section::step), InternalError);
  EXPECT_TRUE(done);
}

// `rounds` times over: each half of a row of weights is updated by itself, half `first` before the other, and then the
// whole row is read.
Program halves_program(int rounds, int first) {
  ProgramBuilder b("halves", 1);
  const BufferId weights = b.buffer({"weights", vector_spec(2 * kPart), 1}, Origin::state);
  const BufferId batch = b.buffer({"batch", vector_spec(kPart), 2 * rounds}, Origin::host);
  const BufferId out = b.buffer({"out", vector_spec(2 * kPart), rounds}, Origin::program);
  for (int n = 0; n < rounds; ++n) {
    b.begin_phase("update", n, rounds, Section::step);
    b.begin_loop();
    for (const int half : {first, 1 - first}) {
      const auto turn = b.turn(half == first ? 0 : 1);
      const SlotId w = b.slot({.name = "w", .phase = "update", .bytes = kRowBytes}),
                   x = b.slot({.name = "x", .phase = "update", .bytes = kRowBytes});
      b.load({weights, 0, half * kRowBytes}, w);
      b.load({batch, 2 * n + half}, x);
      b.call(b.graph("add", GraphKind::forward, add_graph(kPart)), {w, x, w});
      b.store(w, {weights, 0, half * kRowBytes});
    }
    b.begin_phase("read", n, rounds, Section::step);
    const SlotId row = b.slot({.name = "row", .phase = "read", .bytes = 2 * kRowBytes});
    b.load({weights, 0}, row);
    b.store(row, {out, n});
  }
  return b.finish();
}

// Of each load of weights, in their order: which of the stores before it, counted from 1, wrote each half.
std::vector<std::array<int, 2>> what_loads_see(const Program& program) {
  std::vector<std::array<int, 2>> seen;
  std::array<int, 2> writers{};
  int stores = 0;
  for (const Step& step : program.steps) {
    if (!is_transfer(step) || program.buffers[static_cast<std::size_t>(step.buffer)].spec.name != "weights") continue;
    const std::int64_t end = step.offset + program.slots[static_cast<std::size_t>(step.slot)].bytes;
    std::array<int, 2> halves{};
    if (step.kind == StepKind::store) ++stores;
    for (std::int64_t half = step.offset / kRowBytes; half * kRowBytes < end; ++half) {
      const auto h = static_cast<std::size_t>(half);
      if (step.kind == StepKind::store) writers[h] = stores;
      halves[h] = 1 + writers[h];
    }
    if (step.kind == StepKind::load) seen.push_back(halves);
  }
  std::ranges::sort(seen);
  return seen;
}

TEST(Transfers, NoLoadOvertakesTheStoresOfPartsOfItsRow) {
  for (const int first : {0, 1}) {
    const Program program = halves_program(3, first);
    check_program(program);
    const auto expected = what_loads_see(program);
    ASSERT_EQ(expected.size(), 9U);
    for (const int phases : {0, 1, 2, 9})
      for (const int calls : {0, 1, 2, 9}) {
        const Program moved = overlap(program, {phases, calls});
        check_program(moved);
        EXPECT_EQ(what_loads_see(moved), expected) << first << ", " << phases << ", " << calls;
      }
  }
}

}  // namespace
}  // namespace phasor::test
