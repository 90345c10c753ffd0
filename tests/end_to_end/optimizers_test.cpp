// Optimizers other than Adam: a step is that of the reference in double, and neither phases, replicas, shards nor
// slices show in its bits. What is frozen stays, and takes nothing.
#include <cmath>
#include <gtest/gtest.h>

#include "engine/kernels/reference/adafactor.h"
#include "engine/kernels/reference/lamb.h"
#include "engine/train/freeze.h"
#include "tests/support/pairwise.h"
#include "tests/support/training_run.h"

namespace phasor::test {
namespace optimizers_test {
namespace {

enum class Kind { lamb, momentum, descent, layered, frozen, adafactor };
constexpr const char* kNames[] = {"lamb", "momentum", "descent", "layered", "frozen", "adafactor"};

void choose(Kind kind, RunOptions& options) {
  OptimizerOptions& optimizer = options.optimizer;
  switch (kind) {
    case Kind::layered:
      optimizer.layer_decay = 0.5;
      [[fallthrough]];
    case Kind::lamb:
      optimizer.kind = OptimizerKind::lamb;
      return;
    case Kind::adafactor:  // of variables that are whole
      optimizer.kind = OptimizerKind::adafactor;
      options.execution.rts_threshold = 1'000'000;
      options.embedding_slices = 1;
      return;
    case Kind::momentum:
    case Kind::descent:
      optimizer.kind = OptimizerKind::descent;
      optimizer.momentum = kind == Kind::momentum ? 0.9f : 0;
      optimizer.nesterov = kind == Kind::momentum;
      options.learning_rate = 1e-2f;
      return;
    case Kind::frozen:
      const bert::Config model = options.model;
      const std::int64_t slices = options.embedding_slices;
      options.stages = [=](layers::MicroBatch batch) {
        return freeze(bert::training_stages(model, batch, slices),
                      {"bert.embeddings.*", "bert.encoder.layer.0.*", "bert.encoder.layer.2.output.*", "*.bias"});
      };
  }
}

// kind, replicas, elements from which on variables are sharded, slices of the embedding, max_grad_norm, precision,
// stochastic rounding, recompute, overlap
using Case = std::tuple<Kind, int, std::int64_t, std::int64_t, float, Precision, bool, Recompute, int>;

class Optimizers : public ::testing::TestWithParam<Case> {};

TEST_P(Optimizers, PhasedEqualsMonolithic) {
  const auto& [kind, replicas, threshold, slices, max_norm, precision, stochastic, recompute, overlap] = GetParam();
  RunOptions options;
  options.steps = 3;
  options.embedding_slices = slices;
  options.execution = {.replicas = replicas,
                       .accumulation = 2,
                       .rts_threshold = threshold,
                       .recompute = recompute,
                       .precision = precision,
                       .update_slice = 96,
                       .prefetch_depth = overlap,
                       .loop_overlap = overlap};
  options.optimizer.max_grad_norm = max_norm;
  options.optimizer.stochastic_rounding = stochastic && precision == Precision::bfloat16;
  choose(kind, options);
  const RunResult phased = run_training(options);
  options.embedding_slices = 1;
  options.execution.mode = Mode::monolithic;
  choose(kind, options);
  const RunResult monolithic = run_training(options);
  EXPECT_EQ(first_difference(phased, monolithic), "");
  EXPECT_EQ(phased.high_water_bytes, phased.planned_peak_bytes);
  EXPECT_EQ(monolithic.high_water_bytes, monolithic.planned_peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, Optimizers,
    ::testing::ValuesIn(pairwise<Kind, int, std::int64_t, std::int64_t, float, Precision, bool, Recompute, int>(
        {Kind::lamb, Kind::momentum, Kind::descent, Kind::layered, Kind::frozen, Kind::adafactor}, {1, 2, 3},
        {0, 100, 1'000'000}, {1, 3}, {0.0f, 0.5f}, {Precision::float32, Precision::bfloat16}, {false, true},
        {Recompute::layer, Recompute::none}, {0, 1})),
    [](const auto& test) {
      return fmt::format("{}_{}_replicas_{}_threshold_{}", kNames[static_cast<int>(std::get<0>(test.param))], test.index,
                         std::get<1>(test.param), std::get<2>(test.param));
    });

// One step, from the same weights, without dropout: its gradient is what plain descent at rate 1 takes off.
class OneStep : public ::testing::Test {
 protected:
  OneStep() {
    options_.model.dropout_prob = 0;
    options_.steps = 1;
    options_.execution = {.replicas = 2, .accumulation = 2, .rts_threshold = 100, .update_slice = 96};
    options_.learning_rate = 0;
    start_ = run_training(options_);
    options_.learning_rate = 1;
    options_.optimizer = {.kind = OptimizerKind::descent, .weight_decay = 0, .momentum = 0};
    const RunResult moved = run_training(options_);
    for (std::size_t t = 0; t < moved.state.size(); t += 3) {
      auto& gradient = gradients_.emplace_back();
      for (std::size_t i = 0; i < moved.state[t].size(); ++i) {
        gradient.push_back(static_cast<double>(start_.state[t][i]) - moved.state[t][i]);
      }
    }
  }

  RunOptions options_;
  RunResult start_;
  std::vector<std::vector<double>> gradients_;
};

// The word embedding is one canonical tensor and one variable.
TEST_F(OneStep, LambIsTheReferenceInDouble) {
  constexpr float kRate = 0.01f;
  options_.learning_rate = kRate;
  options_.optimizer = {.kind = OptimizerKind::lamb, .beta1 = 0.5, .beta2 = 0.5, .eps = 1e-3f, .weight_decay = 0.1f};
  const RunResult run = run_training(options_);
  const kernels::AdamSettings settings{.beta1 = 0.5, .beta2 = 0.5, .eps = 1e-3f, .weight_decay = 0.1f};
  const kernels::AdamStep step{.learning_rate = kRate};
  const std::vector<double>& g = gradients_[0];
  std::vector<double> w(start_.state[0].begin(), start_.state[0].end()), zero(g.size()), m(g), v(g), moved(g);
  reference::lamb_moments<double>(settings, step, 1, zero, zero, g, m, v);
  double weights = 0, directions = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const double direction = reference::lamb_direction<double>(settings, step, w[i], m[i], v[i]);
    weights += w[i] * w[i];
    directions += direction * direction;
  }
  const double ratio = std::sqrt(weights / directions);
  reference::lamb_weights<double>(settings, step, ratio, w, m, v, moved);
  ASSERT_GT(std::abs(ratio - 1), 0.01);
  // What a gradient of sums in float is off by moves a direction by at most that over eps.
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(run.state[0][i], moved[i], kRate * ratio * 1e-3) << i;
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(run.state[1][i], m[i], 1e-6 * (1 + std::abs(m[i])));
}

// The word embedding has 37 rows of 24 columns.
TEST_F(OneStep, AdafactorIsTheReferenceInDouble) {
  constexpr float kRate = 0.01f;
  options_.learning_rate = kRate;
  options_.optimizer = {.kind = OptimizerKind::adafactor, .weight_decay = 0.1f};
  options_.execution.rts_threshold = 1'000'000;
  const RunResult run = run_training(options_);
  const kernels::AdamStep step{.learning_rate = kRate, .correction2 = 0};
  const std::vector<double>& g = gradients_[0];
  const std::int64_t rows = 37, columns = 24;
  ASSERT_EQ(std::ssize(g), rows * columns);
  std::vector<double> w(start_.state[0].begin(), start_.state[0].end()), moved(g), moments(rows + columns);
  const auto sums = reference::adafactor_sums<double>(step, 1, rows, g);
  const auto factors = reference::adafactor_factors<double>(step, rows, sums, moments);
  const auto u = reference::adafactor_update<double>(step, 1, rows, g, factors);
  double mean = 0;
  for (const double x : u) mean += x * x / static_cast<double>(u.size());
  reference::adafactor_weights<double>(0.1f, step, mean, u, w, moved);
  ASSERT_EQ(run.state[2].size(), moments.size());  // weight, no first moment, rows and columns
  for (std::size_t n = 0; n < moments.size(); ++n) EXPECT_NEAR(run.state[2][n], moments[n], 1e-3 * moments[n] + 1e-12);
  double far = 0;
  for (std::size_t i = 0; i < w.size(); ++i) far = std::max(far, std::abs(run.state[0][i] - moved[i]));
  EXPECT_LT(far, kRate * 0.02);  // what a gradient of differences of floats is off by, beside a root mean square of one
  EXPECT_TRUE(std::ranges::all_of(run.state[1], [](float x) { return x == 0; }));
}

TEST(Adafactor, RefusesWhatDividesVariables) {
  RunOptions options;
  options.steps = 1;
  options.optimizer.kind = OptimizerKind::adafactor;
  options.execution = {.replicas = 2, .rts_threshold = 100};
  EXPECT_THROW(run_training(options), UserError);
  options.execution.replicas = 1;
  options.embedding_slices = 3;
  EXPECT_THROW(run_training(options), UserError);
}

// Of n tensors the variables in front learn slower: by the power of the distance to the last stage.
TEST_F(OneStep, LayersLearnAtTheirRates) {
  options_.optimizer.layer_decay = 0.5;
  const RunResult run = run_training(options_);
  // word embedding, embedding, three layers, head: the first is five in front of the last.
  for (const auto& [tensor, factor] : {std::pair<std::size_t, double>{0, 1.0 / 32}, {gradients_.size() - 1, 1.0}}) {
    double moved = 0, all = 0;
    for (std::size_t i = 0; i < gradients_[tensor].size(); ++i) {
      moved += std::abs(static_cast<double>(start_.state[3 * tensor][i]) - run.state[3 * tensor][i]);
      all += std::abs(gradients_[tensor][i]);
    }
    EXPECT_NEAR(moved, factor * all, 1e-3 * factor * all);
  }
}

TEST(Frozen, StaysAndTakesNothing) {
  RunOptions options;
  options.steps = 2;
  const RunResult all = run_training(options);
  options.learning_rate = 0;
  const RunResult start = run_training(options);
  options.learning_rate = 1e-3f;
  options.stages = [&](layers::MicroBatch batch) {
    return freeze(bert::training_stages(options.model, batch), {"bert.*"});  // but the head
  };
  const RunResult frozen = run_training(options);
  std::size_t changed = 0, moments = 0;
  for (std::size_t t = 0; t < frozen.state.size(); t += 3) {
    const bool same = frozen.state[t] == start.state[t];
    EXPECT_EQ(same, frozen.names[t].starts_with("bert.")) << frozen.names[t];
    changed += !same;
    moments += std::ranges::any_of(frozen.state[t + 1], [](float x) { return x != 0; });
  }
  EXPECT_EQ(changed, 2u);
  EXPECT_EQ(moments, 2u);
  EXPECT_LT(frozen.planned_peak_bytes, all.planned_peak_bytes);
}

}  // namespace
}  // namespace optimizers_test
}  // namespace phasor::test
