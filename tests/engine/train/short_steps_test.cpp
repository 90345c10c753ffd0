// A step of fewer micro-batches than its program is what a program for so many does, to the bit, and what lies behind
// the last sample shows nowhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/train/trainer.h"
#include "tests/engine/train/toy_model.h"
#include "tests/support/inputs.h"
#include "tests/support/sanitized.h"
#include "tests/support/tolerance.h"

namespace phasor::test {
namespace {

constexpr int kMostMicroBatches = 8, kSteps = 2;

struct Outcome {
  std::vector<double> losses;
  std::vector<std::vector<float>> state;  // of the toy model's canonical tensors
};

// The samples of a global micro-batch; behind `count` of them they weigh nothing.
void write(Trainer& trainer, int replica, int m, int number, int count) {
  const auto seed = static_cast<std::uint64_t>(number);
  const Floats features = spread(seed, kToySamples * kToyFeatures);
  const Floats labels_weigh = uniform(seed + 100, kToySamples, 0.1f, 1);
  Floats counted(labels_weigh.size());
  const Ids labels = random_ids(seed, kToySamples, kToyClasses);
  for (int i = 0; i < kToySamples; ++i) {
    const auto at = static_cast<std::size_t>(i);
    counted[at] = number * kToySamples + i < count ? labels_weigh[at] : 0;
  }
  trainer.write_batch("features", replica, m, std::span(features));
  trainer.write_batch("labels", replica, m, std::span(labels));
  trainer.write_batch("label_weights", replica, m, std::span<const float>(counted));
}

// Trains on so many samples a step, on each replica in as few micro-batches as they need.
Outcome train(const ExecutionOptions& execution, const std::vector<int>& samples_of_steps) {
  Machine machine(memory_store(), execution.replicas, 1);
  Trainer trainer(toy_model(), {.max_grad_norm = 0.01f}, execution, static_cast<int>(kToySamples), machine);
  trainer.state().initialise(3);
  Outcome outcome;
  for (int step = 0; step < static_cast<int>(samples_of_steps.size()); ++step) {
    const int samples = samples_of_steps[static_cast<std::size_t>(step)];
    const int together = execution.replicas * static_cast<int>(kToySamples), n = (samples + together - 1) / together;
    for (int replica = 0; replica < execution.replicas; ++replica) {
      for (int m = 0; m < n; ++m) write(trainer, replica, m, replica * n + m, samples);
    }
    outcome.losses.push_back(trainer.step({.step = step, .seed = 7, .learning_rate = 0.1f}, n));
  }
  const ModelState& state = trainer.state();
  for (const CanonicalTensor& tensor : canonical_tensors(trainer.stages())) {
    for (StateKind kind : kSavedStates) outcome.state.push_back(state.read(kind, tensor));
  }
  return outcome;
}

using Way = std::tuple<Mode, bool, Recompute, int>;  // mode, reproducible, recompute, prefetch_depth

class ShortSteps : public ::testing::TestWithParam<Way> {
 protected:
  static ExecutionOptions execution(int replicas, int accumulation) {
    const auto& [mode, reproducible, recompute, depth] = GetParam();
    return {.mode = mode,
            .replicas = replicas,
            .accumulation = accumulation,
            .rts_threshold = 10,
            .recompute = recompute,
            .reproducible = reproducible,
            .update_slice = 10,
            .prefetch_depth = depth};
  }
  static std::vector<int> steps_of(int samples) { return std::vector<int>(kSteps, samples); }
};

TEST_P(ShortSteps, AreThoseOfAShorterProgram) {
  for (int replicas : {1, 2, 3}) {
    for (int n = 1; n <= kMostMicroBatches; n += kSanitized ? 3 : 1) {
      const auto steps = steps_of(replicas * n * static_cast<int>(kToySamples));
      const Outcome expected = train(execution(replicas, n), steps);
      const Outcome outcome = train(execution(replicas, kMostMicroBatches), steps);
      EXPECT_EQ(outcome.losses, expected.losses) << replicas << " x " << n;
      EXPECT_EQ(outcome.state, expected.state) << replicas << " x " << n;
    }
  }
}

// Steps of other lengths before and behind it change nothing about one.
TEST_P(ShortSteps, FollowOneAnother) {
  for (int replicas : {1, 2, 3}) {
    const std::vector<int> samples{16, 5, 16, 1, 11};
    const Outcome expected = train(execution(replicas, 8), samples);
    const Outcome outcome = train(execution(replicas, 16), samples);
    EXPECT_EQ(outcome.losses, expected.losses) << replicas;
    EXPECT_EQ(outcome.state, expected.state) << replicas;
  }
}

// Replicas have equal numbers of micro-batches, and so more of them than there are samples for.
TEST_P(ShortSteps, AreReproducibleOnAnyNumberOfReplicas) {
  if (!std::get<bool>(GetParam())) return;
  for (int samples = 1; samples <= 16; samples += kSanitized ? 5 : 1) {
    const Outcome expected = train(execution(1, 8), steps_of(samples));
    for (int replicas : {2, 3, 4, 8}) {
      const Outcome outcome = train(execution(replicas, 8), steps_of(samples));
      EXPECT_EQ(outcome.losses, expected.losses) << samples << " samples on " << replicas;
      EXPECT_EQ(outcome.state, expected.state) << samples << " samples on " << replicas;
    }
  }
}

std::string name_of_way(const ::testing::TestParamInfo<Way>& info) {
  const auto& [mode, reproducible, recompute, depth] = info.param;
  return fmt::format("{}{}_recompute_{}_depth_{}", mode == Mode::phased ? "phased" : "monolithic",
                     reproducible ? "_reproducible" : "", recompute == Recompute::none ? "none" : "layer", depth);
}

INSTANTIATE_TEST_SUITE_P(Ways, ShortSteps,
                         ::testing::Combine(::testing::Values(Mode::phased, Mode::monolithic), ::testing::Bool(),
                                            ::testing::Values(Recompute::none, Recompute::layer),
                                            ::testing::Values(0, 1, 2)),
                         name_of_way);

TEST(ShortStepsTest, HaveAtLeastOneMicroBatchAndAtMostAll) {
  Machine machine(memory_store(), 1, 1);
  Trainer trainer(toy_model(), {}, {.accumulation = 2}, static_cast<int>(kToySamples), machine);
  EXPECT_THROW(trainer.step({}, 0), InternalError);
  EXPECT_THROW(trainer.step({}, 3), InternalError);
}

}  // namespace
}  // namespace phasor::test
