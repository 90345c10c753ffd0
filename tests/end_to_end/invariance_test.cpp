// What must not change a training run does not, to the bit; what must, does.
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace phasor::test {
namespace {

using testing::first_difference;
using testing::run_training;
using testing::run_training_on_files;
using testing::RunOptions;
using testing::RunResult;

// Two replicas with two micro-batches each, some variables sharded, clipping that bites.
RunOptions base() {
  RunOptions options;
  options.execution = {.replicas = 2, .accumulation = 2, .rts_threshold = 100};
  options.optimizer.max_grad_norm = 0.5f;
  options.steps = 4;
  return options;
}

const RunResult& base_result() {
  static const RunResult result = run_training(base());
  return result;
}

class Invariance : public ::testing::TestWithParam<Mode> {
 protected:
  RunOptions base_in_mode() const {
    RunOptions options = base();
    options.execution.mode = GetParam();
    return options;
  }
};

TEST_P(Invariance, MemoryWithoutReuse) {
  RunOptions options = base_in_mode();
  options.strategy = Strategy::no_reuse;
  const RunResult result = run_training(options);
  EXPECT_EQ(first_difference(result, base_result()), "");
  EXPECT_GT(result.planned_peak_bytes, base_result().planned_peak_bytes);
}

TEST_P(Invariance, ThreadsOfAReplica) {
  for (int threads : {2, 3}) {
    RunOptions options = base_in_mode();
    options.execution.threads_per_replica = threads;
    EXPECT_EQ(first_difference(run_training(options), base_result()), "") << threads;
  }
}

TEST_P(Invariance, ActivationsKeptOrMadeAgain) {
  for (Recompute recompute : {Recompute::none, Recompute::layer}) {
    RunOptions options = base_in_mode();
    options.execution.recompute = recompute;
    EXPECT_EQ(first_difference(run_training(options), base_result()), "");
  }
}

TEST_P(Invariance, FilesOrMemory) {
  const TemporaryFolder folder;
  EXPECT_EQ(first_difference(run_training_on_files(base_in_mode(), folder.path()), base_result()), "");
}

TEST_P(Invariance, TransfersAheadOfCompute) {
  std::int64_t peak = 0;
  for (int depth : {0, 1, 2}) {
    for (Recompute recompute : {Recompute::layer, Recompute::none}) {
      RunOptions options = base_in_mode();
      options.execution.prefetch_depth = depth;
      options.execution.recompute = recompute;
      const TemporaryFolder folder;
      EXPECT_EQ(first_difference(run_training_on_files(options, folder.path()), base_result()), "") << depth;
      const RunResult result = run_training(options);
      EXPECT_EQ(first_difference(result, base_result()), "") << depth;
      EXPECT_EQ(result.high_water_bytes, result.planned_peak_bytes);
      if (recompute == Recompute::none) continue;
      EXPECT_GT(result.planned_peak_bytes, peak) << depth;  // the copies
      peak = result.planned_peak_bytes;
    }
  }
}

// Every gradient kernel is linear in dy, and a power of two goes through products and sums without rounding. It is
// taken off before anything is added that does not scale: Adam's eps, and the norm that clipping compares.
TEST_P(Invariance, LossScalesThatArePowersOfTwo) {
  for (float scale : {1024.0f, 0.25f}) {
    RunOptions options = base_in_mode();
    options.loss_scale = scale;
    EXPECT_EQ(first_difference(run_training(options), base_result()), "") << scale;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Invariance, ::testing::Values(Mode::phased, Mode::monolithic),
                         [](const auto& test) { return test.param == Mode::phased ? "phased" : "monolithic"; });

using Replication = std::tuple<Mode, int, float>;  // mode, replicas, max_grad_norm

class TransfersAheadOfCompute : public ::testing::TestWithParam<Replication> {};

TEST_P(TransfersAheadOfCompute, OnReplicas) {
  const auto& [mode, replicas, max_norm] = GetParam();
  RunOptions options = base();
  options.optimizer.max_grad_norm = max_norm;
  options.execution.mode = mode;
  options.execution.replicas = replicas;
  options.execution.accumulation = 4;
  options.steps = 2;
  options.execution.prefetch_depth = 0;
  const RunResult expected = run_training(options);
  for (int depth : {1, 2}) {
    options.execution.prefetch_depth = depth;
    EXPECT_EQ(first_difference(run_training(options), expected), "") << depth;
  }
}

INSTANTIATE_TEST_SUITE_P(Replicas, TransfersAheadOfCompute,
                         ::testing::Combine(::testing::Values(Mode::phased, Mode::monolithic),
                                            ::testing::Values(1, 2, 3, 4), ::testing::Values(0.0f, 0.5f)));

using Division = std::tuple<Mode, float, std::int64_t>;  // mode, max_grad_norm, rts_threshold

std::string name_of_division(const ::testing::TestParamInfo<Division>& info) {
  const auto& [mode, max_norm, threshold] = info.param;
  return fmt::format("{}_{}_threshold_{}", mode == Mode::phased ? "phased" : "monolithic",
                     max_norm > 0 ? "clipped" : "unclipped", threshold);
}

// Eight micro-batches of six samples, shared out over replicas in every way.
class Reproducible : public ::testing::TestWithParam<Division> {};

TEST_P(Reproducible, HoweverTheBatchIsDivided) {
  const auto& [mode, max_norm, threshold] = GetParam();
  RunOptions options = base();
  options.optimizer.max_grad_norm = max_norm;
  options.execution = {
      .mode = mode, .replicas = 1, .accumulation = 8, .rts_threshold = threshold, .reproducible = true};
  const RunResult expected = run_training(options);
  for (int replicas : {2, 4, 8}) {
    options.execution.replicas = replicas;
    options.execution.accumulation = 8 / replicas;
    EXPECT_EQ(first_difference(run_training(options), expected), "") << replicas;
  }
}

constexpr auto kModes = {Mode::phased, Mode::monolithic};
constexpr std::int64_t kAll = 0, kSome = 100, kNone = 1'000'000;  // thresholds, by what they shard

INSTANTIATE_TEST_SUITE_P(WithoutClipping, Reproducible,
                         ::testing::Combine(::testing::ValuesIn(kModes), ::testing::Values(0.0f),
                                            ::testing::Values(kAll, kSome, kNone)),
                         name_of_division);
INSTANTIATE_TEST_SUITE_P(Clipping, Reproducible,
                         ::testing::Combine(::testing::ValuesIn(kModes), ::testing::Values(0.5f),
                                            ::testing::Values(kNone)),
                         name_of_division);
// The squares of each shard are summed and rounded apart, so that the norm depends on the number of shards.
INSTANTIATE_TEST_SUITE_P(ClippingOfShards, Reproducible,
                         ::testing::Combine(::testing::ValuesIn(kModes), ::testing::Values(0.5f),
                                            ::testing::Values(kAll, kSome)),
                         name_of_division);

TEST(Variance, DropoutIsOn) {
  RunOptions options = base();
  options.model.dropout_prob = 0;
  options.steps = 1;
  EXPECT_NE(run_training(options).losses[0], base_result().losses[0]);  // of equal weights
}

TEST(Variance, TheSeedMatters) {
  RunOptions options = base();
  options.seed += 1;
  EXPECT_NE(first_difference(run_training(options), base_result()), "");
}

}  // namespace
}  // namespace phasor::test
