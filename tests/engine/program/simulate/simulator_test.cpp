#include "engine/program/simulate/simulator.h"

#include <gtest/gtest.h>

#include "engine/program/simulate/node_sample.h"
#include "tests/engine/program/small_program.h"

namespace phasor::test {
namespace {

constexpr std::int64_t kTimedFloats = 256;  // of each slot
constexpr double kTimedBytes = 4 * kTimedFloats;

// A load takes 2 s, a store 3 s and a call, which moves three tensors, 5 s.
Rates round_rates() {
  return {.memory_bytes_per_second = 3 * kTimedBytes / 5,
          .clear = {.bytes_per_second = kTimedBytes / 0.5},
          .load = {.latency_seconds = 1, .bytes_per_second = kTimedBytes},
          .store = {.latency_seconds = 2, .bytes_per_second = kTimedBytes}};
}

// Slots a, b, c; loads come from `host`, stores go to `state`, both in the bulk queue unless told otherwise.
struct TimedProgram {
  TimedProgram() {
    for (int buffer : {host, state}) queues.emplace_back(buffer, Queue::bulk);
    builder.begin_phase("phase", 0, 1, Section::step);
  }
  void call() { builder.call(builder.graph("add", GraphKind::forward, add_graph(kTimedFloats)), {a, b, c}); }
  Program finish() {
    Program program = builder.finish();
    for (const auto& [buffer, queue] : queues) program.buffers[buffer].queue = queue;
    return program;
  }
  Simulation simulated() { return simulate(finish(), round_rates()); }

  ProgramBuilder builder{"timed", 1};
  const BufferId host = builder.buffer({"host", vector_spec(kTimedFloats), 9}, Origin::host);
  const BufferId state = builder.buffer({"state", vector_spec(kTimedFloats), 9}, Origin::state);
  const SlotId a = builder.slot({.name = "a", .bytes = kTimedFloats * 4}),
               b = builder.slot({.name = "b", .bytes = kTimedFloats * 4}),
               c = builder.slot({.name = "c", .bytes = kTimedFloats * 4});
  std::vector<std::pair<int, Queue>> queues;
};

TEST(Simulator, OneStepAfterTheOther) {
  TimedProgram p;
  p.builder.load({p.host, 0}, p.a);
  p.builder.zero(p.b);
  p.call();
  p.builder.store(p.c, {p.state, 0});
  const Simulation s = p.simulated();
  ASSERT_EQ(s.phases.size(), 1);
  EXPECT_DOUBLE_EQ(s.phases[0].load, 2);
  EXPECT_DOUBLE_EQ(s.phases[0].store, 3);
  EXPECT_DOUBLE_EQ(s.phases[0].compute, 5.5);
  EXPECT_DOUBLE_EQ(s.phases[0].stall, 2 + 3);
  EXPECT_DOUBLE_EQ(s.step_seconds, 10.5);
}

TEST(Simulator, ATransferBesideComputeCostsNothing) {
  TimedProgram p;
  p.builder.load({p.host, 0}, p.a);
  p.builder.issue_load({p.host, 1}, p.b);
  p.builder.call(p.builder.graph("add", GraphKind::forward, add_graph(kTimedFloats)), {p.a, p.a, p.c});
  p.builder.wait(p.b);
  const Simulation s = p.simulated();
  EXPECT_DOUBLE_EQ(s.phases[0].load, 2 + 2);
  EXPECT_DOUBLE_EQ(s.phases[0].stall, 2);  // of the first load
  EXPECT_DOUBLE_EQ(s.step_seconds, 2 + 5);
}

// One thread computes for 5 s and one copies for 2 s on one core: 4 s for the copy and 2 s of the call, then the rest.
TEST(Simulator, CoresThatCopyDoNotCompute) {
  TimedProgram p;
  p.builder.issue_load({p.host, 1}, p.b);
  p.builder.call(p.builder.graph("add", GraphKind::forward, add_graph(kTimedFloats)), {p.a, p.a, p.c});
  p.builder.wait(p.b);
  const Program program = p.finish();
  Rates rates = round_rates();
  rates.load.cores = 1;
  const Simulation s = simulate(program, rates);
  EXPECT_DOUBLE_EQ(s.phases[0].compute, 4 + 3);
  EXPECT_DOUBLE_EQ(s.phases[0].load, 2);
  EXPECT_DOUBLE_EQ(s.phases[0].stall, 0);

  rates.threads = 2;  // two of three threads compute: 3 s for the copy and 2 s of the call
  EXPECT_DOUBLE_EQ(simulate(program, rates).phases[0].compute, 3 + 3);
  rates.spare_cores = 0.5;  // 2.5 cores for three threads: 2.4 s for 2 s of both
  EXPECT_DOUBLE_EQ(simulate(program, rates).phases[0].compute, 2.4 + 3);
  rates.spare_cores = 1;
  EXPECT_DOUBLE_EQ(simulate(program, rates).phases[0].compute, 5);
}

// The call of 5 s takes 10 s beside a copy that is longer, and the copies go on alone afterwards.
TEST(Simulator, ComputeSlowsCopiesDown) {
  TimedProgram p;
  for (int row : {1, 2, 3}) p.builder.issue_load({p.host, row}, p.b);  // one behind the other: 6 s
  p.builder.call(p.builder.graph("add", GraphKind::forward, add_graph(kTimedFloats)), {p.a, p.a, p.c});
  p.builder.wait(p.b);
  Rates rates = round_rates();
  rates.load.cores = 1;
  const Simulation s = simulate(p.finish(), rates);
  EXPECT_DOUBLE_EQ(s.phases[0].compute, 10);
  EXPECT_DOUBLE_EQ(s.phases[0].stall, 1);
}

// Queues that share the link share what it keeps busy: a load that copies and a store that a disk does alone want half
// a core between them, so that 1.5 s pass for each second of compute and of the link. The load of 2 s ends when 4 s of
// the link are over, at 6 s, and the last second of the call passes beside the store.
TEST(Simulator, QueuesShareTheCores) {
  TimedProgram p;
  p.queues = {{p.host, Queue::micro_batch}, {p.state, Queue::bulk}};
  p.builder.issue_load({p.host, 0}, p.a);
  p.builder.issue_store(p.c, {p.state, 0});
  p.builder.call(p.builder.graph("add", GraphKind::forward, add_graph(kTimedFloats)), {p.b, p.b, p.b});
  p.builder.wait(p.a);
  p.builder.wait(p.c);
  Rates rates = round_rates();
  rates.load.cores = 1;
  const Simulation s = simulate(p.finish(), rates);
  EXPECT_DOUBLE_EQ(s.phases[0].compute, 6 + 1);
  EXPECT_DOUBLE_EQ(s.phases[0].stall, 0);
}

TEST(Simulator, ZerosShareTheCoresToo) {
  const Program program = [] {
    TimedProgram p;
    p.builder.issue_load({p.host, 1}, p.b);
    p.builder.zero(p.a);
    p.builder.wait(p.b);
    return p.finish();
  }();
  Rates rates = round_rates();
  rates.load.cores = 1;
  const Simulation s = simulate(program, rates);
  EXPECT_DOUBLE_EQ(s.phases[0].compute, 1);  // 0.5 s of both
  EXPECT_DOUBLE_EQ(s.phases[0].stall, 2 - 0.5);
}

TEST(Simulator, ComputeWaitsForWhatIsLeftOfATransfer) {
  TimedProgram p;
  p.builder.load({p.host, 0}, p.a);
  for (int row : {1, 2, 3}) p.builder.issue_load({p.host, row}, p.b);  // one behind the other: 6 s
  p.builder.call(p.builder.graph("add", GraphKind::forward, add_graph(kTimedFloats)), {p.a, p.a, p.c});
  p.builder.wait(p.b);
  const Simulation s = p.simulated();
  EXPECT_DOUBLE_EQ(s.phases[0].stall, 2 + 1);
  EXPECT_DOUBLE_EQ(s.step_seconds, 2 + 5 + 1);
}

// While both are busy each queue has half of the link: the load of 2 s ends at 4 s, when 1 s of the store is left.
TEST(Simulator, QueuesShareTheLink) {
  TimedProgram p;
  p.queues = {{p.host, Queue::micro_batch}, {p.state, Queue::bulk}};
  p.builder.issue_load({p.host, 0}, p.a);
  p.builder.issue_store(p.c, {p.state, 0});
  p.builder.wait(p.a);
  Program loaded = p.finish();
  EXPECT_DOUBLE_EQ(simulate(loaded, round_rates()).step_seconds, 4);
  loaded.steps.push_back({.kind = StepKind::wait, .slot = p.c});
  ++loaded.phases[0].end_step;
  EXPECT_DOUBLE_EQ(simulate(loaded, round_rates()).step_seconds, 5);
}

TEST(Simulator, AQueueKeepsItsOrder) {
  TimedProgram p;
  p.builder.issue_load({p.host, 0}, p.a);
  p.builder.issue_store(p.c, {p.state, 0});
  p.builder.wait(p.a);
  EXPECT_DOUBLE_EQ(p.simulated().step_seconds, 2);
}

TEST(Simulator, AStallCountsInThePhaseThatWaits) {
  TimedProgram p;
  p.builder.issue_load({p.host, 0}, p.a);
  p.builder.begin_phase("next", 0, 1, Section::step);
  p.builder.wait(p.a);
  const Simulation s = p.simulated();
  EXPECT_DOUBLE_EQ(s.phases[0].load, 2);
  EXPECT_DOUBLE_EQ(s.phases[0].stall, 0);
  EXPECT_DOUBLE_EQ(s.phases[1].load, 0);
  EXPECT_DOUBLE_EQ(s.phases[1].stall, 2);
}

TEST(Simulator, CollectivesCountTheWholeTensor) {
  const Program program = small_program(2);  // gathers to 8 floats and scatters 8
  const Rates rates{.gather = {.bytes_per_second = 16},
                    .reduce_scatter = {.latency_seconds = 1, .bytes_per_second = 32}};
  const Simulation s = simulate(program, rates);
  EXPECT_DOUBLE_EQ(s.phases[0].collective, 2);
  EXPECT_DOUBLE_EQ(s.phases[1].collective, 1 + 1);
}

TEST(Simulator, ALeafIsReadAndAddedToAnother) {
  ProgramBuilder b("test", 2);
  b.begin_phase("sum", 0, 1, Section::step);
  const SlotId leaf = b.slot({.name = "leaf", .bytes = 16}), partials = b.slot({.name = "partials", .bytes = 32}),
               sum = b.slot({.name = "sum", .bytes = 16});
  for (int k = 0; k < 3; ++k) b.add_leaf(leaf, partials);
  b.all_reduce_partials(partials, sum);
  const Simulation s =
      simulate(b.finish(), {.clear = {.bytes_per_second = 16}, .all_reduce = {.bytes_per_second = 32}});
  EXPECT_DOUBLE_EQ(s.phases[0].compute, 9);
  EXPECT_DOUBLE_EQ(s.phases[0].collective, 1);
}

TEST(Simulator, OnlyTheStepCounts) {
  const Program program = resident_program(1);
  const Simulation s = simulate(program, {.load = {.latency_seconds = 1}, .store = {.latency_seconds = 1}});
  EXPECT_DOUBLE_EQ(s.phases[0].stall, 1);
  EXPECT_DOUBLE_EQ(s.phases[2].stall, 1);
  EXPECT_DOUBLE_EQ(s.step_seconds, 1);  // the batch
}

TEST(Simulator, TakesTheMeasuredRateOfANodeWhereThereIsOne) {
  const Graph graph = add_graph(kTimedFloats);
  Rates rates = round_rates();
  EXPECT_DOUBLE_EQ(seconds_of(graph, rates), 5);
  rates.nodes[name_of(sample_of(graph, graph.nodes[0], rates.threads))] = 3 * kTimedBytes / 7;
  EXPECT_DOUBLE_EQ(seconds_of(graph, rates), 7);
}

}  // namespace
}  // namespace phasor::test
