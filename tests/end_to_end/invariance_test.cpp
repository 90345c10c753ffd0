// What must not change a training run does not, to the bit; what must, does.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace phasor::test {
namespace {

using test::first_difference;
using test::run_training;
using test::run_training_on_files;
using test::RunOptions;
using test::RunResult;

// Two replicas with two micro-batches each, some variables sharded, clipping that bites.
RunOptions base(Precision precision = Precision::float32) {
  RunOptions options;
  options.execution = {.replicas = 2, .accumulation = 2, .rts_threshold = 100, .precision = precision};
  options.optimizer.max_grad_norm = 0.5f;
  options.steps = kSanitized ? 2 : 4;
  return options;
}

const RunResult& base_result(Precision precision = Precision::float32) {
  static const RunResult full = run_training(base()), half = run_training(base(Precision::bfloat16));
  return precision == Precision::bfloat16 ? half : full;
}

RunOptions without_clipping(RunOptions options) {
  options.optimizer.max_grad_norm = 0;
  return options;
}

const RunResult& unclipped_result(Precision precision) {
  static const RunResult full = run_training(without_clipping(base())),
                         half = run_training(without_clipping(base(Precision::bfloat16)));
  return precision == Precision::bfloat16 ? half : full;
}

constexpr const char* name_of_mode(Mode mode) { return mode == Mode::phased ? "phased" : "monolithic"; }
constexpr const char* name_of_precision(Precision precision) {
  return precision == Precision::bfloat16 ? "bfloat16" : "float32";
}

class Invariance : public ::testing::TestWithParam<std::tuple<Mode, Precision>> {
 protected:
  RunOptions base_in_mode() const {
    RunOptions options = base(precision());
    options.execution.mode = std::get<Mode>(GetParam());
    return options;
  }
  const RunResult& expected() const { return base_result(precision()); }
  const RunResult& unclipped() const { return unclipped_result(precision()); }

 private:
  static Precision precision() { return std::get<Precision>(GetParam()); }
};

TEST_P(Invariance, MemoryWithoutReuse) {
  RunOptions options = base_in_mode();
  options.strategy = Strategy::no_reuse;
  const RunResult result = run_training(options);
  EXPECT_EQ(first_difference(result, expected()), "");
  EXPECT_GT(result.planned_peak_bytes, expected().planned_peak_bytes);
}

TEST_P(Invariance, SlicesOfUpdates) {
  for (std::int64_t slice : kSanitized ? std::vector{1, 96} : std::vector{1, 32, 96, 1'000'000}) {
    RunOptions options = base_in_mode();
    options.execution.update_slice = slice;
    EXPECT_EQ(first_difference(run_training(options), expected()), "") << slice;
    EXPECT_EQ(first_difference(run_training(without_clipping(options)), unclipped()), "") << slice;
  }
}

TEST_P(Invariance, ThreadsOfAReplica) {
  for (int threads : kSanitized ? std::vector{3} : std::vector{2, 3}) {
    RunOptions options = base_in_mode();
    options.execution.threads_per_replica = threads;
    EXPECT_EQ(first_difference(run_training(options), expected()), "") << threads;
  }
}

TEST_P(Invariance, ActivationsKeptOrMadeAgain) {
  for (Recompute recompute : {Recompute::none, Recompute::layer}) {
    RunOptions options = base_in_mode();
    options.execution.recompute = recompute;
    EXPECT_EQ(first_difference(run_training(options), expected()), "");
  }
}

TEST_P(Invariance, FilesOrMemory) {
  const TemporaryFolder folder;
  EXPECT_EQ(first_difference(run_training_on_files(base_in_mode(), folder.path()), expected()), "");
}

TEST_P(Invariance, TransfersAheadOfCompute) {
  std::int64_t peak = 0;
  for (int depth : {0, 1, 2}) {
    for (Recompute recompute : {Recompute::layer, Recompute::none}) {
      RunOptions options = base_in_mode();
      options.execution.prefetch_depth = options.execution.loop_overlap = depth;
      options.execution.recompute = recompute;
      if (depth > 0) {
        const TemporaryFolder folder;
        EXPECT_EQ(first_difference(run_training_on_files(options, folder.path()), expected()), "") << depth;
      }
      const RunResult result = run_training(options);
      EXPECT_EQ(first_difference(result, expected()), "") << depth;
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
  for (float scale : kSanitized ? std::vector{0.25f} : std::vector{1024.0f, 0.25f}) {
    RunOptions options = base_in_mode();
    options.loss_scale = scale;
    EXPECT_EQ(first_difference(run_training(options), expected()), "") << scale;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Invariance,
                         ::testing::Combine(::testing::Values(Mode::phased, Mode::monolithic),
                                            ::testing::Values(Precision::float32, Precision::bfloat16)),
                         [](const auto& test) {
                           return fmt::format("{}_{}", name_of_mode(std::get<Mode>(test.param)),
                                              name_of_precision(std::get<Precision>(test.param)));
                         });

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
  options.execution.prefetch_depth = options.execution.loop_overlap = 0;
  const RunResult expected = run_training(options);
  for (int depth : {1, 2}) {
    options.execution.prefetch_depth = options.execution.loop_overlap = depth;
    EXPECT_EQ(first_difference(run_training(options), expected), "") << depth;
  }
}

std::string name_of_replication(const ::testing::TestParamInfo<Replication>& info) {
  const auto& [mode, replicas, max_norm] = info.param;
  return fmt::format("{}_replicas_{}_{}", name_of_mode(mode), replicas, max_norm > 0 ? "clipped" : "unclipped");
}

INSTANTIATE_TEST_SUITE_P(Replicas, TransfersAheadOfCompute,
                         ::testing::Combine(::testing::Values(Mode::phased, Mode::monolithic),
                                            ::testing::Values(1, 2, 3, 4), ::testing::Values(0.0f, 0.5f)),
                         name_of_replication);

// mode, max_grad_norm, rts_threshold, precision, micro-batches
using Division = std::tuple<Mode, float, std::int64_t, Precision, int>;

std::string name_of_division(const ::testing::TestParamInfo<Division>& info) {
  const auto& [mode, max_norm, threshold, precision, micro_batches] = info.param;
  return fmt::format("{}_{}_threshold_{}_{}_of_{}", name_of_mode(mode), max_norm > 0 ? "clipped" : "unclipped",
                     threshold, name_of_precision(precision), micro_batches);
}

// Eight micro-batches of six samples, or twelve of four, shared out over replicas in every way.
class Reproducible : public ::testing::TestWithParam<Division> {};

TEST_P(Reproducible, HoweverTheBatchIsDivided) {
  const auto& [mode, max_norm, threshold, precision, micro_batches] = GetParam();
  RunOptions options = base();
  options.optimizer.max_grad_norm = max_norm;
  options.execution = {.mode = mode,
                       .replicas = 1,
                       .accumulation = micro_batches,
                       .rts_threshold = threshold,
                       .reproducible = true,
                       .precision = precision};
  const RunResult expected = run_training(options);
  for (int replicas : kSanitized ? std::vector{3, 4} : std::vector{2, 3, 4, 6, 8}) {
    if (micro_batches % replicas != 0) continue;
    options.execution.replicas = replicas;
    options.execution.accumulation = micro_batches / replicas;
    const RunResult result = run_training(options);
    EXPECT_EQ(first_difference(result, expected), "") << replicas;
    EXPECT_EQ(result.high_water_bytes, result.planned_peak_bytes) << replicas;
  }
}

constexpr auto kModes = {Mode::phased, Mode::monolithic};
const auto kFull = ::testing::Values(Precision::float32);
const auto kCounts = ::testing::Values(8, 12);
constexpr std::int64_t kAll = 0, kSome = 100, kNone = 1'000'000;  // thresholds, by what they shard

INSTANTIATE_TEST_SUITE_P(WithoutClipping, Reproducible,
                         ::testing::Combine(::testing::ValuesIn(kModes), ::testing::Values(0.0f),
                                            ::testing::Values(kAll, kSome, kNone), kFull, kCounts),
                         name_of_division);
INSTANTIATE_TEST_SUITE_P(InBfloat16, Reproducible,
                         ::testing::Combine(::testing::ValuesIn(kModes), ::testing::Values(0.0f, 0.5f),
                                            ::testing::Values(kSome), ::testing::Values(Precision::bfloat16), kCounts),
                         name_of_division);
INSTANTIATE_TEST_SUITE_P(Clipping, Reproducible,
                         ::testing::Combine(::testing::ValuesIn(kModes), ::testing::Values(0.5f),
                                            ::testing::Values(kNone), kFull, kCounts),
                         name_of_division);
INSTANTIATE_TEST_SUITE_P(ClippingOfShards, Reproducible,
                         ::testing::Combine(::testing::ValuesIn(kModes), ::testing::Values(0.5f),
                                            ::testing::Values(kAll, kSome), kFull, kCounts),
                         name_of_division);

// Without masters a weight is its bfloat16 value, drawn by a counter: the same in every mode and on every replica.
using Placing = std::tuple<int, std::int64_t>;  // replicas, rts_threshold

class StochasticRounding : public ::testing::TestWithParam<Placing> {
 protected:
  static RunOptions options(Mode mode) {
    RunOptions options = base(Precision::bfloat16);
    options.optimizer.stochastic_rounding = true;
    options.execution.mode = mode;
    options.execution.update_slice = 64;
    options.steps = std::max(options.steps, 4);  // until the loss falls
    std::tie(options.execution.replicas, options.execution.rts_threshold) = GetParam();
    return options;
  }
};

TEST_P(StochasticRounding, PhasedEqualsMonolithic) {
  const RunResult phased = run_training(options(Mode::phased));
  EXPECT_EQ(first_difference(phased, run_training(options(Mode::monolithic))), "");
  EXPECT_LT(phased.losses.back(), phased.losses.front());
  EXPECT_EQ(phased.high_water_bytes, phased.planned_peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(Placings, StochasticRounding,
                         ::testing::Combine(::testing::Values(1, 2, 3), ::testing::Values(0, 100, 1'000'000)),
                         [](const auto& test) {
                           return fmt::format("replicas_{}_threshold_{}", std::get<0>(test.param),
                                              std::get<1>(test.param));
                         });

TEST(StochasticRoundingOfShards, DoesNotShow) {
  RunOptions options = base(Precision::bfloat16);
  options.optimizer.stochastic_rounding = true;
  options.optimizer.max_grad_norm = 0;  // whose norm is summed shard by shard
  const RunResult some = run_training(options);
  options.execution.rts_threshold = 1'000'000;
  EXPECT_EQ(first_difference(run_training(options), some), "");
}

TEST(StochasticRoundingOfShards, IsAnotherRun) {
  RunOptions options = base(Precision::bfloat16);
  const RunResult masters = run_training(options);
  options.optimizer.stochastic_rounding = true;
  const RunResult rounded = run_training(options);
  EXPECT_NE(first_difference(rounded, masters), "");
}

TEST(Variance, ThePrecisionMatters) {
  const RunResult &full = base_result(Precision::float32), &half = base_result(Precision::bfloat16);
  EXPECT_NE(first_difference(half, full), "");
  // A rounding is at most 2^-9; the first loss, of the same weights, is off by a few of them at most.
  EXPECT_NEAR(half.losses[0], full.losses[0], 0x1p-7 * full.losses[0]);
}

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
