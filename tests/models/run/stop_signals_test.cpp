#include "models/run/stop_signals.h"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

#include "models/checkpoint/checkpoint.h"
#include "models/report/metrics_log.h"
#include "tests/support/letter_files.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trained_letters.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

auto handler_of(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  return action.sa_handler;
}

TEST(StopSignals, NotesTheFirstAndLetsTheSecondThrough) {
  for (const int number : {SIGINT, SIGTERM}) {
    {
      const StopSignals signals;
      EXPECT_EQ(signals.received(), 0);
      EXPECT_NE(handler_of(number), SIG_DFL);
      std::raise(number);
      EXPECT_EQ(signals.received(), number);
      for (const int second : {SIGINT, SIGTERM}) EXPECT_EQ(handler_of(second), SIG_DFL);
    }
    EXPECT_EQ(handler_of(number), SIG_DFL);
  }
}

TEST(StopSignals, LeavesIgnoredOnesIgnored) {
  std::signal(SIGINT, SIG_IGN);
  {
    const StopSignals signals;
    std::raise(SIGINT);
    EXPECT_EQ(signals.received(), 0);
  }
  EXPECT_EQ(handler_of(SIGINT), SIG_IGN);
  std::signal(SIGINT, SIG_DFL);
}

// The step that is under way is done, and saved; the rest of the run gives the bits of one that was not ended.
TEST(StopSignals, EndARunBetweenTwoSteps) {
  const TemporaryFolder folder;
  write_letter_files(folder.path(), 50);
  RunConfig config = letter_run(folder.path());
  config.training.steps = 100'000;
  const std::string log = folder.file("run/metrics.jsonl");
  const std::jthread killer([&] {
    while (!std::ifstream(log).good() || read_metrics(log).size() < 3) std::this_thread::yield();
    std::raise(SIGTERM);
  });
  const TrainingOutcome outcome = train_squad(config, "", folder.file("run"));
  EXPECT_EQ(outcome.stopped_by, SIGTERM);
  EXPECT_GE(outcome.steps, 3);
  EXPECT_LT(outcome.steps, 100'000);
  EXPECT_EQ(read_position(outcome.checkpoint).step, outcome.steps);
  EXPECT_EQ(std::ssize(read_metrics(log)), outcome.steps);
}

// The step behind which the run ends was saved and scored already, as every step is.
TEST(StopSignals, EndARunThatScoresEachStepOnce) {
  const TemporaryFolder folder;
  write_letter_files(folder.path(), 10);
  RunConfig config = letter_run(folder.path());
  config.training.steps = 100'000;
  config.checkpoint.every_steps = 1;
  config.checkpoint.evaluate = true;
  const std::string log = folder.file("run/evaluations.jsonl");
  const std::jthread killer([&] {
    while (!std::ifstream(log).good()) std::this_thread::yield();
    std::raise(SIGTERM);
  });
  const TrainingOutcome outcome = train_squad(config, "", folder.file("run"));
  EXPECT_EQ(outcome.stopped_by, SIGTERM);
  EXPECT_EQ(read_position(outcome.checkpoint).step, outcome.steps);
  std::ifstream scores(log);
  std::int64_t lines = 0;
  for (std::string line; std::getline(scores, line); ++lines) {
    EXPECT_TRUE(line.starts_with(fmt::format("{{\"step\":{},", lines + 1))) << line;
  }
  EXPECT_EQ(lines, outcome.steps);
}

}  // namespace
}  // namespace phasor::run
