// A variable that two stages read: it is one, and its two gradients are one.
#include <gtest/gtest.h>

#include "engine/ir/stage_builder.h"
#include "tests/support/drawn_text.h"
#include "tests/support/pairwise.h"
#include "tests/support/training_run.h"

namespace phasor::test::tied {
namespace {

constexpr std::int64_t kTokens = 7, kWidth = 24, kWords = 40;

// y = table[ids]
Stage table_stage(layers::MicroBatch batch) {
  Stage stage{.name = "table"};
  StageBuilder b(stage);
  const Value ids = b.batch("input_ids", {DType::i32, {batch.rows, kTokens}});
  const Value table =
      b.variable("words", {kWords, kWidth}, {.kind = Initialiser::Kind::truncated_normal, .deviation = 0.3f}, true);
  b.activation_out(b.embedding(table, ids, {}));
  return stage;
}

// y = x + gelu(x W), twice
Stage middle_stage(layers::MicroBatch batch) {
  Stage stage{.name = "middle", .instances = 2, .prefix = "middle.{}."};
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {batch.rows, kTokens, kWidth}});
  const Value weight =
      b.variable("weight", {kWidth, kWidth}, {.kind = Initialiser::Kind::truncated_normal, .deviation = 0.2f}, true);
  b.activation_out(b.add(x, b.gelu(b.matmul(x, weight))));
  return stage;
}

// loss = cross-entropy of x table'
Stage head_stage(layers::MicroBatch batch, bool tied) {
  Stage stage{.name = "head", .prefix = "head."};
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {batch.rows, kTokens, kWidth}});
  const Value labels = b.batch("labels", {DType::i32, {batch.rows * kTokens}});
  const Value weights = b.batch("label_weights", {DType::f32, {batch.rows * kTokens}});
  const Shape shape{kWords, kWidth};
  const Value table = tied ? b.tied_variable("words", shape, {"table", "words"}) : b.variable("words", shape, {}, true);
  const Value logits = b.matmul(b.reshape(x, {batch.rows * kTokens, kWidth}), table, {.transpose_b = true});
  b.loss(b.cross_entropy(logits, labels, weights));
  return stage;
}

RunOptions tied_options(bool tied = true) {
  RunOptions options;
  options.model.sequence_length = kTokens;
  options.stages = [tied](layers::MicroBatch batch) {
    return Stages{table_stage(batch), middle_stage(batch), head_stage(batch, tied)};
  };
  options.samples = [](int step) {
    return std::make_unique<DrawnText>(
        DrawnText::Sizes{.samples = 48, .vocabulary = kWords, .shortest = kTokens - 3, .longest = kTokens}, step);
  };
  return options;
}

// replicas, elements from which variables are sharded, max_grad_norm, accumulation, precision, stochastic rounding
using Case = std::tuple<int, std::int64_t, float, int, Precision, bool>;

class TiedVariables : public ::testing::TestWithParam<Case> {};

TEST_P(TiedVariables, PhasedEqualsMonolithic) {
  const auto& [replicas, threshold, max_norm, accumulation, precision, rounds] = GetParam();
  RunOptions options = tied_options();
  options.execution = {.replicas = replicas,
                       .accumulation = accumulation,
                       .rts_threshold = threshold,
                       .precision = precision,
                       .update_slice = 96};
  options.optimizer.max_grad_norm = max_norm;
  options.optimizer.stochastic_rounding = rounds && precision == Precision::bfloat16;
  const RunResult phased = run_training(options);
  options.execution.mode = Mode::monolithic;
  const RunResult monolithic = run_training(options);
  EXPECT_EQ(first_difference(phased, monolithic), "");
  EXPECT_LT(phased.losses.back(), phased.losses.front());
  EXPECT_EQ(phased.high_water_bytes, phased.planned_peak_bytes);
  EXPECT_EQ(monolithic.high_water_bytes, monolithic.planned_peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(Pairs, TiedVariables,
                         ::testing::ValuesIn(pairwise<int, std::int64_t, float, int, Precision, bool>(
                             {1, 2, 3}, {0, 700, 1'000'000}, {0.0f, 0.05f}, {1, 4},
                             {Precision::float32, Precision::bfloat16}, {false, true})),
                         [](const auto& test) {
                           return fmt::format("{}_replicas_{}_threshold_{}", test.index, std::get<0>(test.param),
                                              std::get<1>(test.param));
                         });

// Any division of the batch gives the same bits where it is asked for.
TEST(TiedVariables, AnyDivisionGivesTheSameBits) {
  RunOptions options = tied_options();
  options.execution = {.accumulation = 6, .reproducible = true};
  const RunResult one = run_training(options);
  options.execution.replicas = 3;
  options.execution.accumulation = 2;
  EXPECT_EQ(first_difference(one, run_training(options)), "");
}

// The gradient is the sum of those that two variables with the same values have.
TEST(TiedVariables, GradientsAreSummed) {
  constexpr float kRate = 1e-3f;
  const auto first_moment = [](bool tied) {
    RunOptions options = tied_options(tied);
    options.steps = 1;
    options.learning_rate = kRate;
    options.start = [](const Stages& stages, ModelState& state) {
      state.initialise(5);
      const std::vector<float> words = state.read(StateKind::weight, 0, 0, 0);
      if (!stages[2].variables[0].tied_to) state.write(StateKind::weight, 2, 0, 0, words);
    };
    return run_training(options);
  };
  const RunResult one = first_moment(true), two = first_moment(false);
  const auto moment = [](const RunResult& run, const std::string& name) {
    return run.state.at(std::ranges::find(run.names, name + ", kind 1") - run.names.begin());
  };
  const std::vector<float> sum = moment(one, "words"), left = moment(two, "words"), right = moment(two, "head.words");
  ASSERT_EQ(sum.size(), static_cast<std::size_t>(kWords * kWidth));
  for (std::size_t i = 0; i < sum.size(); ++i) {
    // Each is 0.1 of a gradient, rounded once or twice more.
    EXPECT_NEAR(sum[i], left[i] + right[i], 4e-7 * (std::abs(left[i]) + std::abs(right[i]))) << i;
  }
  EXPECT_EQ(std::ranges::find(one.names, "head.words, kind 0"), one.names.end());
}

}  // namespace
}  // namespace phasor::test::tied
