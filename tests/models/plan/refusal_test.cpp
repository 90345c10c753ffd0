// A screen that says what would fit, where nothing does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/plan/run_within.h"

namespace phasor::run {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace budgets;

TEST(ResolveRun, RefusesInOneScreen) {
  RunConfig config = run_within(peak_with(Recompute::none, 2));
  config.execution.embedding_serialization_factor = 1;
  config.execution.recompute = Recompute::none;
  const std::string screen = refused(config);
  EXPECT_THAT(screen, HasSubstr("is too little: the plan takes"));
  EXPECT_THAT(screen, HasSubstr("gradient word_embedding"));
  EXPECT_THAT(screen, HasSubstr("gradients"));
  EXPECT_THAT(screen, HasSubstr(fmt::format("{:<44} {:>10.1f} MiB  fits", "execution.embedding_serialization_factor 2",
                                            mebibytes(peak_with(Recompute::none, 2)))));
  EXPECT_LT(std::ranges::count(screen, '\n'), 24);
}

// What a change is said to take is what it takes.
TEST(ResolveRun, TellsThePeakOfEveryChange) {
  RunConfig config = run_within(1 << 18);
  config.execution.recompute = Recompute::none;
  config.execution.embedding_serialization_factor = 1;
  const std::string screen = refused(config);
  EXPECT_TRUE(screen.starts_with("execution.device_memory 256.0 KiB is too little: the plan takes "));
  const auto expect_told = [&](const std::string& change, const RunConfig& changed) {
    EXPECT_THAT(screen,
                HasSubstr(fmt::format("{:<44} {:>10.1f} MiB", change, mebibytes(planned(changed).peak_bytes()))));
  };
  RunConfig replicas = config;
  replicas.execution.data_parallel = 4;
  expect_told("execution.data_parallel 4", replicas);
  EXPECT_THAT(screen, Not(HasSubstr("fits")));
}

// A thread has scratch of its own: those that were said would stay, and the change take more than is told.
TEST(ResolveRun, TellsTheThreadsOfMoreReplicas) {
  RunConfig config = run_within(1 << 18);
  config.execution.recompute = Recompute::none;
  config.execution.embedding_serialization_factor = 1;
  config.execution.threads_per_replica = 4;
  const std::string screen = refused(config);
  config.execution.data_parallel = 4;
  config.execution.threads_per_replica = 1;
  const std::string change = "execution.data_parallel 4, execution.threads_per_replica 1";
  EXPECT_THAT(screen, HasSubstr(fmt::format("{:<44} {:>10.1f} MiB", change, mebibytes(planned(config).peak_bytes()))));
}

// Monolithic runs do without the slices that were said; in phases these count.
TEST(ResolveRun, TellsWhatPhasesTakeWithTheSlicesThatWereSaid) {
  RunConfig config = run_within(1 << 14);
  config.execution.mode = Mode::monolithic;
  config.execution.recompute = Recompute::none;
  config.execution.embedding_serialization_factor = 8;
  const std::string screen = refused(config);
  config.execution.mode = Mode::phased;
  const std::int64_t phased = planned(config).peak_bytes();
  config.execution.embedding_serialization_factor = 1;
  ASSERT_NE(fmt::format("{:.1f}", mebibytes(phased)), fmt::format("{:.1f}", mebibytes(planned(config).peak_bytes())));
  EXPECT_THAT(screen, HasSubstr(fmt::format("{:<44} {:>10.1f} MiB", "execution.mode phased", mebibytes(phased))));
}

}  // namespace
}  // namespace phasor::run
