// A program in which phases repeat each other takes the room that its distinct phases take.
#include "engine/program/distinct_phases.h"

#include <gtest/gtest.h>

#include "engine/plan/interference.h"
#include "engine/program/memory/liveness.h"
#include "engine/program/memory/occupants.h"
#include "engine/program/overlap/overlap.h"
#include "tests/engine/program/random_program.h"

namespace phasor::test {
namespace {

// The program with its phases [first, end) `times` times, one behind the other.
Program with_repeats(const Program& program, std::size_t first, std::size_t end, int times) {
  std::vector<Phase> order(program.phases.begin(), program.phases.begin() + static_cast<std::ptrdiff_t>(first));
  for (int i = 0; i < times; ++i) {
    order.insert(order.end(), program.phases.begin() + static_cast<std::ptrdiff_t>(first),
                 program.phases.begin() + static_cast<std::ptrdiff_t>(end));
  }
  order.insert(order.end(), program.phases.begin() + static_cast<std::ptrdiff_t>(end), program.phases.end());
  Program result = program;
  result.steps = {};
  for (Phase& phase : order) {
    const auto begin = static_cast<std::int32_t>(result.steps.size());
    for (int i = phase.first_step; i < phase.end_step; ++i) {
      Step step = program.steps[i];
      if (is_transfer(step)) step.row += begin;  // each works on rows of its own
      result.steps.push_back(step);
    }
    phase.first_step = begin;
    phase.end_step = static_cast<std::int32_t>(result.steps.size());
  }
  result.phases = std::move(order);
  return result;
}

MemoryRequest request_of(const Program& program, const std::vector<Phase>& phases) {
  MemoryRequest request;
  for (const Slot& slot : program.slots) request.bytes.push_back(slot.bytes);
  for (std::size_t graph = 0; graph < program.graphs.size(); ++graph) request.bytes.push_back(336);
  request.ranges = find_liveness(program, phases);
  return request;
}

TEST(DistinctPhases, OccupyMemoryAsAllDo) {
  int repeated = 0;
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Program base = overlap(RandomProgram(static_cast<std::uint64_t>(seed), 2).make(), seed % 3);
    std::size_t first = 0, end = base.phases.size();
    while (base.phases[first].section != Section::step) ++first;
    while (base.phases[end - 1].section != Section::step) --end;
    first += static_cast<std::size_t>(seed) % (end - first);
    const std::size_t turn = 1 + static_cast<std::size_t>(seed / 3) % (end - first);
    const int times = 4 + seed % 5;
    const Program program = with_repeats(base, first, first + turn, times);
    const std::vector<Phase> distinct = distinct_phases(program);
    EXPECT_LE(distinct.size(), base.phases.size() + 2 * turn);
    ++repeated;
    const MemoryRequest request = request_of(program, program.phases);
    const Interference all(request), some(request_of(program, distinct));
    for (int a = 0; a < static_cast<int>(request.bytes.size()); ++a) {
      for (int b = 0; b < a; ++b) EXPECT_EQ(some.together(a, b), all.together(a, b)) << a << ", " << b;
    }
    EXPECT_EQ(some.lower_bound_bytes(), all.lower_bound_bytes());
  }
  EXPECT_EQ(repeated, 300);
}

Program layers(int count, int copies) {
  ProgramBuilder b("layers", 1);
  const BufferId state = b.buffer({"state", vector_spec(kPart), count}, Origin::state);
  const GraphId graph = b.graph("add", GraphKind::forward, add_graph(kPart));
  const SlotId sum = b.slot({.name = "sum", .bytes = 16});
  b.begin_phase("first", 0, 1, Section::step);
  b.zero(sum);
  for (int n = 0; n < count; ++n) {
    const SlotId x = b.slot({.name = fmt::format("x{}", n % copies), .bytes = 16});
    b.begin_phase("layer", n, count, Section::step);
    b.load({state, n}, x);
    b.call(graph, {sum, x, sum});
  }
  b.begin_phase("last", 0, 1, Section::step);
  b.store(sum, {state, 0});
  return b.finish();
}

TEST(DistinctPhases, AreNoMoreInDeeperModels) {
  for (const int copies : {1, 2, 3}) {
    const std::size_t few = distinct_phases(layers(4 * copies, copies)).size();
    EXPECT_EQ(few, static_cast<std::size_t>(3 * copies + 2));
    EXPECT_EQ(distinct_phases(layers(400 * copies, copies)).size(), few);
  }
}

TEST(DistinctPhases, AreAllThatThereAreWhereNoneRepeat) {
  const Program program = layers(3, 1);
  EXPECT_EQ(distinct_phases(program).size(), program.phases.size());
}

// The first two turns and the last, at their places.
TEST(DistinctPhases, KeepTheirSteps) {
  const std::vector<Phase> phases = distinct_phases(layers(10, 1));
  ASSERT_EQ(phases.size(), 5u);
  EXPECT_EQ(phases[1].instance, 0);
  EXPECT_EQ(phases[2].instance, 1);
  EXPECT_EQ(phases[3].instance, 9);
  EXPECT_EQ(phases[3].first_step, 1 + 2 * 9);
}

// What is fullest is as full in one of them.
TEST(DistinctPhases, HaveTheFullestMoment) {
  const Program program = layers(50, 2);
  const ProgramPlan plan = plan_program(program, 1);
  const std::vector<Phase> distinct = distinct_phases(program);
  const auto fullest = [&](const std::vector<Phase>& phases) {
    std::int64_t bytes = 0;
    for (const FullestMoment& m : fullest_moments(find_occupants(program, plan, phases), phases)) {
      bytes = std::max(bytes, m.bytes);
    }
    return bytes;
  };
  EXPECT_EQ(fullest(distinct), fullest(program.phases));
  EXPECT_EQ(fullest(distinct), plan.lower_bound_bytes);
}

}  // namespace
}  // namespace phasor::test
