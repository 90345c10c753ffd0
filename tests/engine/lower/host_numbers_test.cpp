// What the host tells the device before a step: the numbers of the update, and from where each micro-batch of each
// stage instance draws.
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "engine/train/trainer.h"
#include "tests/engine/train/drawing_model.h"

namespace phasor::test {
namespace {

constexpr int kTold = 2;  // replicas, and micro-batches of each
constexpr StepNumbers kNumbers{.step = 4, .seed = 11, .learning_rate = 0.25f, .loss_scale = 8};
constexpr std::array<float, kDrawnWidth> kFeatures = [] {
  std::array<float, kDrawnWidth> ones{};
  ones.fill(1);
  return ones;
}();

// A machine with a trainer that has a batch.
struct ToldTrainer {
  ToldTrainer(const OptimizerOptions& optimizer, const ExecutionOptions& execution)
      : machine(memory_store(), execution.replicas, 1), trainer(drawing_model(), optimizer, execution, 1, machine) {
    trainer.state().initialise(3);
    const std::array<std::int32_t, 1> labels{1};
    const std::array<float, 1> weights{1};
    for (int replica = 0; replica < execution.replicas; ++replica)
      for (int m = 0; m < execution.accumulation; ++m) {
        trainer.write_batch("features", replica, m, std::span<const float>(kFeatures));
        trainer.write_batch("labels", replica, m, std::span<const std::int32_t>(labels));
        trainer.write_batch("label_weights", replica, m, std::span<const float>(weights));
      }
  }

  template <class T, std::size_t count>
  std::array<T, count> row(const std::string& buffer, int replica, std::int64_t number) {
    std::array<T, count> values{};
    machine.memory["train." + buffer].load(replica, number, std::span(values));
    return values;
  }

  Machine machine;
  Trainer trainer;
};

const ExecutionOptions kShared{.replicas = kTold, .accumulation = kTold, .rts_threshold = 10};

TEST(HostNumbers, EveryReplicaIsToldTheStepsOwn) {
  ToldTrainer told({}, kShared);
  told.trainer.step(kNumbers);
  for (int replica = 0; replica < kTold; ++replica) {
    // The rate, what the gradient is multiplied by, and no correction.
    EXPECT_EQ((told.row<float, 4>("adam_step", replica, 0)), (std::array{0.25f, 0.125f, 1.0f, 1.0f}));
    EXPECT_EQ((told.row<float, 1>("loss_scale", replica, 0)), (std::array{8.0f}));
  }
}

// The moments of step t are 1 - beta^t of what they tend to, and t of the first step is 1.
TEST(HostNumbers, BiasCorrectionIsToldWhereItIsAskedFor) {
  const OptimizerOptions options{.beta1 = 0.5, .beta2 = 0.75, .bias_correction = true};
  ToldTrainer told(options, kShared);
  for (const std::int64_t step : {0, 4}) {
    StepNumbers numbers = kNumbers;
    numbers.step = step;
    told.trainer.step(numbers);
    const double t = static_cast<double>(step) + 1;
    const auto adam_step = told.row<float, 4>("adam_step", 1, 0);
    EXPECT_FLOAT_EQ(adam_step[2], static_cast<float>(1 / (1 - std::pow(0.5, t))));
    EXPECT_FLOAT_EQ(adam_step[3], static_cast<float>(1 / (1 - std::pow(0.75, t))));
  }
}

TEST(HostNumbers, DrawsArePlacedBySampleAndStageInstance) {
  ToldTrainer told({.stochastic_rounding = true}, [] {
    ExecutionOptions execution = kShared;
    execution.precision = Precision::bfloat16;
    return execution;
  }());
  told.trainer.step(kNumbers);
  using Position = std::array<std::int64_t, 5>;
  constexpr std::int64_t kInstances = kDrawingLayers + 2;
  for (std::int64_t replica = 0; replica < kTold; ++replica)
    for (std::int64_t instance = 0; instance < kInstances; ++instance) {
      const auto r = static_cast<int>(replica);
      for (std::int64_t m = 0; m < kTold; ++m) {
        EXPECT_EQ((told.row<std::int64_t, 5>("position", r, instance * kTold + m)),
                  (Position{11, 4, replica * kTold + m, instance, 0}));
      }
      EXPECT_EQ((told.row<std::int64_t, 5>("update_position", r, instance)), (Position{11, 4, replica, instance, 0}));
    }
}

// The offset of a layer gets no gradient where the layer, or one behind it, dropped what it was added to.
TEST(HostNumbers, LayersThatAreAlikeDropDifferently) {
  for (const Mode mode : {Mode::phased, Mode::monolithic}) {
    ToldTrainer told({}, {.mode = mode});
    told.trainer.step(kNumbers);
    const auto dropped_behind = [&](int layer) {
      const std::vector<float> moment = told.trainer.state().read(StateKind::moment1, 1, layer, 0);
      return std::ranges::count(moment, 0.0f);
    };
    EXPECT_NEAR(static_cast<double>(dropped_behind(1)), kDrawnWidth / 2.0, kDrawnWidth / 4.0);
    // Of what the second layer keeps, the first drops its share, too.
    EXPECT_NEAR(static_cast<double>(dropped_behind(0)), kDrawnWidth * 3 / 4.0, kDrawnWidth / 8.0);
    EXPECT_GT(dropped_behind(0), dropped_behind(1));
  }
}

// With stochastic rounding, what a step of the same gradient makes of the same weights is another in every step.
TEST(HostNumbers, WeightsAreRoundedAnewInEveryStep) {
  const auto weights_after = [](std::int64_t step, std::uint64_t seed) {
    ToldTrainer told({.stochastic_rounding = true}, {.precision = Precision::bfloat16});
    // Without labels there is no gradient, and the weights move by what decays alone.
    const std::array<float, 1> none{0};
    told.trainer.write_batch("label_weights", 0, 0, std::span<const float>(none));
    told.trainer.step({.step = step, .seed = seed, .learning_rate = 0.1f});
    return told.trainer.state().read(StateKind::weight, 2, 0, 0);
  };
  const std::vector<float> expected = weights_after(4, 11);
  EXPECT_EQ(weights_after(4, 11), expected);
  EXPECT_NE(weights_after(5, 11), expected);
  EXPECT_NE(weights_after(4, 12), expected);
}

}  // namespace
}  // namespace phasor::test
