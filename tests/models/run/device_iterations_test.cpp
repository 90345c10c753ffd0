// Steps that a run takes without the host in between: what it saves, what it tells, where it ends.
#include <csignal>

#include "models/checkpoint/files.h"
#include "models/run/output_lines.h"
#include "tests/models/run/training_fixture.h"
#include "tests/support/message.h"

namespace phasor::run {
namespace {
namespace device_iterations_test {

using namespace phasor::test;

RunConfig with_iterations(RunConfig config, int iterations, const std::string& outputs = "all") {
  config.execution.device_iterations = iterations;
  config.watch.outputs = outputs;
  return config;
}

// Of eight steps three at a time; saves and fingerprints come in between.
TEST_F(Training, OfStepsTogetherIsThatOfSingleOnes) {
  RunConfig plain = letter_run(folder_.path());
  plain.checkpoint.every_steps = 5;
  plain.watch.fingerprint = 2;
  const std::string single = train(plain, "single"), together = train(with_iterations(plain, 3), "together");
  EXPECT_EQ(difference(together, single), "");
  EXPECT_EQ(losses_of(folder_.file("together/metrics.jsonl")), losses_of(folder_.file("single/metrics.jsonl")));
  const auto a = read_metrics(folder_.file("single/metrics.jsonl")),
             b = read_metrics(folder_.file("together/metrics.jsonl"));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].fingerprint, b[i].fingerprint);
    EXPECT_EQ(a[i].fingerprint.empty(), i % 2 == 0);
    EXPECT_EQ(a[i].samples, b[i].samples);
    EXPECT_EQ(a[i].learning_rate, b[i].learning_rate);
  }
  const CheckpointFiles of_single(folder_.file("single/checkpoint.h5"), 0),
      of_together(folder_.file("together/checkpoint.h5"), 0);
  EXPECT_EQ(difference(of_together.of_step(5), of_single.of_step(5)), "");
}

TEST_F(Training, GoesOnInTheMiddleOfStepsTogether) {
  RunConfig config = letter_run(folder_.path());
  const std::string expected = train(config, "single");
  config = with_iterations(config, 3);
  config.training.stop_after = 4;
  config.checkpoint.load = train(config, "part");
  config.training.stop_after = 0;
  EXPECT_EQ(difference(train(config, "part"), expected), "");
  EXPECT_EQ(losses_of(folder_.file("part/metrics.jsonl")), losses_of(folder_.file("single/metrics.jsonl")));
}

TEST_F(Training, TellsOfTheStepsThatOutputsName) {
  const RunConfig plain = letter_run(folder_.path());
  train(plain, "all");
  const auto all = read_metrics(folder_.file("all/metrics.jsonl"));
  const auto lines_with = [&](const std::string& outputs) {
    train(with_iterations(plain, 3, outputs), outputs);
    return read_metrics(folder_.file(outputs + "/metrics.jsonl"));
  };
  const auto expect_lines = [&](const std::vector<StepMetrics>& lines, std::vector<std::int64_t> steps) {
    ASSERT_EQ(lines.size(), steps.size());
    std::int64_t before = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(lines[i].step, steps[i]);
      EXPECT_EQ(lines[i].steps, steps[i] - before);
      std::int64_t samples = 0;
      double sum = 0;
      for (std::int64_t step = before; step < steps[i]; ++step) {
        samples += all[static_cast<std::size_t>(step)].samples;
        sum += all[static_cast<std::size_t>(step)].loss;
      }
      EXPECT_EQ(lines[i].samples, samples);
      if (lines[i].loss_sum) {
        EXPECT_EQ(*lines[i].loss_sum, sum);
        EXPECT_EQ(lines[i].loss, sum / static_cast<double>(lines[i].steps));
      } else {
        EXPECT_EQ(lines[i].loss, all[static_cast<std::size_t>(steps[i] - 1)].loss);
      }
      before = steps[i];
    }
  };
  expect_lines(lines_with("final"), {3, 6, 8});
  expect_lines(lines_with("every 4"), {4, 8});
  expect_lines(lines_with("every 5"), {5, 8});  // the rest at the end
  const auto sums = lines_with("sum");
  expect_lines(sums, {3, 6, 8});
  EXPECT_TRUE(sums[0].loss_sum.has_value());
  EXPECT_EQ(message_of([&] { lines_with("every 0"); }),
            "execution.outputs 'every 0' is unknown; expected all, final, sum or 'every N' with N of 1 at least");
}

// A signal ends the run behind the steps that are under way.
TEST_F(Training, OfStepsTogetherEndsBehindThem) {
  RunConfig config = with_iterations(letter_run(folder_.path()), 7);
  config.training.steps = 100'000;
  RunFolder folder(folder_.file("run"));
  const TrainingOutcome outcome = run::train(squad::Squad(),
                                             {.run = settle_defaults(config),
                                              .record = "",
                                              .machine = {},
                                              .changes = {},
                                              .events = {.step_begins =
                                                             [](std::int64_t step) {
                                                               if (step == 16) std::raise(SIGTERM);
                                                             }}},
                                             folder, io::silent());
  EXPECT_EQ(outcome.stopped_by, SIGTERM);
  EXPECT_EQ(outcome.steps, 21);
  EXPECT_EQ(read_position(outcome.checkpoint).step, 21);
  EXPECT_EQ(read_metrics(folder_.file("run/metrics.jsonl")).size(), 21u);
}

TEST(StepOutputsTest, AreReadFromText) {
  using Kind = StepOutputs::Kind;
  EXPECT_EQ(parse_outputs("all"), (StepOutputs{Kind::all}));
  EXPECT_EQ(parse_outputs("every 12"), (StepOutputs{Kind::every, 12}));
  for (const char* text :
       {"", "every", "every ", "every 0", "every -1", "every 1x", "every 99999999999999999999", "last"})
    EXPECT_EQ(parse_outputs(text), std::nullopt) << text;
}

// Whatever the outputs, a step that has a fingerprint or a checkpoint has a line.
TEST(OutputLinesTest, HaveWhatIsWanted) {
  OutputLines lines({.kind = StepOutputs::Kind::every, .every = 5});
  EXPECT_FALSE(lines.add({.step = 1, .samples = 2, .stall_seconds = 1}, {.ends_iterations = true}));
  const auto line = lines.add({.step = 2, .samples = 3, .stall_seconds = 2}, {.is_wanted = true});
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->steps, 2);
  EXPECT_EQ(line->samples, 5);
  EXPECT_EQ(line->stall_seconds, 3);
  EXPECT_FALSE(lines.rest().has_value());
  EXPECT_FALSE(lines.add({.step = 3}, {}));
  EXPECT_EQ(lines.rest()->step, 3);
}

}  // namespace device_iterations_test
}  // namespace
}  // namespace phasor::run
