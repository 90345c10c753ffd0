// What a program records while it runs: each of its steps and phases, in places that the clock confirms.
#include <gtest/gtest.h>
#include <map>

#include "engine/program/execute/runner.h"
#include "engine/program/overlap/overlap.h"
#include "engine/program/step_label.h"
#include "tests/engine/program/small_program.h"

namespace phasor::test {
namespace {

class TraceTest : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  int replicas() const { return std::get<0>(GetParam()); }
  Program program() const { return overlap(small_program(replicas()), std::get<1>(GetParam())); }
};

TEST_P(TraceTest, EveryStepIsRecordedOnceOnEveryReplica) {
  Machine machine(memory_store(), replicas(), 1);
  Runner runner(program(), machine);
  runner.run(Section::step);
  EXPECT_TRUE(runner.trace(0).empty());
  runner.start_trace(1);
  const std::int64_t begin = TraceSink::now();
  runner.run(Section::step);
  const std::int64_t end = TraceSink::now();
  runner.stop_trace();
  runner.run(Section::step);
  for (int replica = 0; replica < replicas(); ++replica) {
    std::map<int, TraceSpan> spans;
    for (const TraceSpan& span : runner.trace(replica)) {
      EXPECT_TRUE(spans.emplace(span.what, span).second) << span.what;
      EXPECT_LE(begin, span.begin);
      EXPECT_LE(span.end, end);
    }
    const Program& p = runner.program();
    EXPECT_EQ(spans.size(), p.steps.size() + p.phases.size());
    for (std::size_t i = 0; i < p.phases.size(); ++i) {
      const TraceSpan& phase = spans.at(~static_cast<int>(i));
      for (int step = p.phases[i].first_step; step < p.phases[i].end_step; ++step) {
        if (p.steps[static_cast<std::size_t>(step)].issues) continue;  // may last longer than its phase
        EXPECT_LE(phase.begin, spans.at(step).begin);
        EXPECT_LE(spans.at(step).end, phase.end);
      }
    }
  }
}

TEST_P(TraceTest, TheRingKeepsTheLastRuns) {
  Machine machine(memory_store(), replicas(), 1);
  Runner runner(program(), machine);
  runner.start_trace(2);
  for (int run = 0; run < 2; ++run) runner.run(Section::step);
  const std::int64_t third = TraceSink::now();
  for (int run = 0; run < 2; ++run) runner.run(Section::step);
  const std::vector<TraceSpan> spans = runner.trace(0);
  EXPECT_EQ(spans.size(), 2 * (runner.program().steps.size() + runner.program().phases.size()));
  EXPECT_GE(spans.front().begin, third);
}

INSTANTIATE_TEST_SUITE_P(All, TraceTest, ::testing::Combine(::testing::Values(1, 2, 3), ::testing::Values(0, 1)));

TEST(StepLabel, SaysWhatAStepDoes) {
  const Program program = small_program(2);
  std::vector<std::string> labels;
  for (int step = 0; step < std::ssize(program.steps); ++step) {
    labels.push_back(phase_label(phase_of_step(program, step)) + " / " +
                     step_label(program, program.steps[static_cast<std::size_t>(step)]));
  }
  EXPECT_EQ(labels,
            (std::vector<std::string>{"forward / load weights[0]", "forward / gather w", "forward / load batch[0]",
                                      "forward / forward", "forward / store kept[0]", "backward / load kept[0]",
                                      "backward / reduce dy", "backward / load weights[0]", "backward / update",
                                      "backward / store weights[0]"}));
}

TEST(StepLabel, NumbersInstancesWhereThereAreSeveral) {
  EXPECT_EQ(phase_label({.name = "gradient layer", .instance = 3, .instances = 12}), "gradient layer 3");
  EXPECT_EQ(phase_label({.name = "gradient head", .instance = 0, .instances = 1}), "gradient head");
}

}  // namespace
}  // namespace phasor::test
