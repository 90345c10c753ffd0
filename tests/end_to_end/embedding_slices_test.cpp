// The number of slices of the word embedding changes what the device holds and no bit of what is computed.
#include <gtest/gtest.h>
#include <span>

#include "tests/support/pairwise.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace phasor::test {
namespace {

using test::first_difference;
using test::pairwise;
using test::run_training;
using test::run_training_on_files;
using test::RunOptions;
using test::RunResult;

// 37 words: 19 + 18, 13 + 13 + 11, six times 6 + 1.
constexpr std::int64_t kAllSlices[] = {2, 3, 7};
constexpr std::span<const std::int64_t> kSlices = std::span(kAllSlices).last(kSanitized ? 1 : 3);

struct Variant {
  const char* name;
  Precision precision;
  bool stochastic_rounding;
};
constexpr Variant kVariants[] = {{"float32", Precision::float32, false},
                                 {"bfloat16", Precision::bfloat16, false},
                                 {"stochastic_rounding", Precision::bfloat16, true}};

using SliceCase = std::tuple<Variant, Recompute, int, std::int64_t, float, bool>;

std::string name_of_slices(const ::testing::TestParamInfo<SliceCase>& info) {
  const auto& [variant, recompute, replicas, threshold, max_norm, reproducible] = info.param;
  return fmt::format("{}_recompute_{}_replicas_{}_threshold_{}_clip_{}{}", variant.name,
                     recompute == Recompute::layer ? "layer" : "none", replicas, threshold, max_norm > 0 ? "on" : "off",
                     reproducible ? "_reproducible" : "");
}

class EmbeddingSlices : public ::testing::TestWithParam<SliceCase> {
 protected:
  // The prefetch depths of the table and of its slices are 0, 1 and 2.
  static RunOptions options() {
    const auto& [variant, recompute, replicas, threshold, max_norm, reproducible] = GetParam();
    RunOptions options;
    options.execution = {.replicas = replicas,
                         .accumulation = replicas == 2 ? 3 : 2,
                         .rts_threshold = threshold,
                         .recompute = recompute,
                         .reproducible = reproducible,
                         .precision = variant.precision,
                         .prefetch_depth = replicas % 3,
                         .loop_overlap = replicas % 3};
    options.optimizer.max_grad_norm = max_norm;
    options.optimizer.stochastic_rounding = variant.stochastic_rounding;
    options.steps = 3;
    return options;
  }
};

TEST_P(EmbeddingSlices, DoNotShow) {
  RunOptions options = EmbeddingSlices::options();
  const RunResult whole = run_training(options);
  EXPECT_LT(whole.losses.back(), whole.losses.front());
  for (std::int64_t slices : kSlices) {
    options.embedding_slices = slices;
    options.execution.prefetch_depth = options.execution.loop_overlap = static_cast<int>(slices % 3);
    const RunResult result = run_training(options);
    EXPECT_EQ(first_difference(result, whole), "") << slices;
    EXPECT_EQ(result.high_water_bytes, result.planned_peak_bytes) << slices;
  }
}

// Thresholds at which some variables are sharded, and the table but not its slices.
INSTANTIATE_TEST_SUITE_P(Pairs, EmbeddingSlices,
                         ::testing::ValuesIn(pairwise<Variant, Recompute, int, std::int64_t, float, bool>(
                             {std::begin(kVariants), std::end(kVariants)}, {Recompute::layer, Recompute::none},
                             {1, 2, 3}, {100, 37 * 24}, {0.0f, 0.5f}, {false, true})),
                         name_of_slices);

// A table that takes more than any other phase, even in seven slices.
constexpr std::int64_t kWords = 12'000;

RunOptions large_table() {
  RunOptions options;
  options.model.vocab_size = kWords;
  options.execution.accumulation = 4;
  options.execution.prefetch_depth = options.execution.loop_overlap = 0;
  options.steps = 2;
  options.execution.update_slice = kWords * options.model.hidden_size;  // at once: moments show in the peak
  return options;
}

TEST(EmbeddingSlicesOfALargeTable, TakeLessMemory) {
  RunOptions options = large_table();
  for (int depth : {0, 1, 2}) {
    options.execution.prefetch_depth = options.execution.loop_overlap = depth;
    options.embedding_slices = 1;
    const RunResult whole = run_training(options);
    std::int64_t peak = whole.planned_peak_bytes;
    for (std::int64_t slices : kSlices) {
      options.embedding_slices = slices;
      const RunResult result = run_training(options);
      EXPECT_EQ(first_difference(result, whole), "") << slices;
      EXPECT_LT(result.planned_peak_bytes, peak) << slices;
      EXPECT_EQ(result.high_water_bytes, result.planned_peak_bytes) << slices;
      peak = result.planned_peak_bytes;
    }
  }
}

// At its peak the device holds weights, both moments and gradient: of a slice, then.
TEST(EmbeddingSlicesOfALargeTable, AreAllThatTheDeviceHoldsOfIt) {
  RunOptions options = large_table();
  const std::int64_t whole = run_training(options).planned_peak_bytes;
  options.embedding_slices = 2;
  const std::int64_t slice_bytes = kWords / 2 * options.model.hidden_size * size_of(DType::f32);
  EXPECT_EQ(run_training(options).planned_peak_bytes, whole - 4 * slice_bytes);
}

TEST(EmbeddingSlicesOfALargeTable, OnFiles) {
  RunOptions options = large_table();
  const RunResult whole = run_training(options);
  options.embedding_slices = 3;
  for (int depth : {0, 1, 2}) {
    options.execution.prefetch_depth = options.execution.loop_overlap = depth;
    const TemporaryFolder folder;
    EXPECT_EQ(first_difference(run_training_on_files(options, folder.path()), whole), "") << depth;
  }
}

TEST(EmbeddingSlicesOfALargeTable, PhasedEqualsMonolithic) {
  RunOptions options = large_table();
  options.optimizer.max_grad_norm = 0.5f;
  options.execution.mode = Mode::monolithic;
  const RunResult monolithic = run_training(options);
  options.execution.mode = Mode::phased;
  options.embedding_slices = 7;
  EXPECT_EQ(first_difference(run_training(options), monolithic), "");
}

// As many slices as words.
TEST(EmbeddingSlicesOfALargeTable, OfOneRow) {
  RunOptions options;
  options.steps = 2;
  const RunResult whole = run_training(options);
  options.embedding_slices = options.model.vocab_size;
  EXPECT_EQ(first_difference(run_training(options), whole), "");
}

}  // namespace
}  // namespace phasor::test
