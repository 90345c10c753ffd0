// `reproducible`: losses, weights and moments do not depend on how replicas and accumulation share the micro-batches.
#include <gtest/gtest.h>

#include "engine/train/trainer.h"
#include "tests/engine/train/toy_model.h"
#include "tests/support/inputs.h"

namespace phasor::test {
namespace {

constexpr int kMostMicroBatches = 24, kMostReplicas = 6, kSteps = 2;

struct Outcome {
  std::vector<double> losses;
  std::vector<std::vector<float>> state;  // of the toy model's canonical tensors
  bool planned = false;                   // whether memory was used as planned
};

// Trains the toy model on `micro_batches` global micro-batches a step.
Outcome train(const ExecutionOptions& execution) {
  Machine machine(memory_store(), execution.replicas, 1);
  Trainer trainer(toy_model(), {.max_grad_norm = 0.01f}, execution, static_cast<int>(kToySamples), machine);
  trainer.state().initialise(3);
  for (int replica = 0; replica < execution.replicas; ++replica) {
    for (int m = 0; m < execution.accumulation; ++m) {
      const auto seed = static_cast<std::uint64_t>(replica * execution.accumulation + m);
      const Floats features = spread(seed, kToySamples * kToyFeatures);
      const Floats weights = uniform(seed + 100, kToySamples, 0.1f, 1);
      const Ids labels = random_ids(seed, kToySamples, kToyClasses);
      trainer.write_batch("features", replica, m, std::span(features));
      trainer.write_batch("labels", replica, m, std::span(labels));
      trainer.write_batch("label_weights", replica, m, std::span(weights));
    }
  }
  Outcome outcome;
  for (int step = 0; step < kSteps; ++step) {
    outcome.losses.push_back(trainer.step({.step = step, .seed = 7, .learning_rate = 0.1f}));
  }
  const ModelState& state = trainer.state();
  for (const CanonicalTensor& tensor : canonical_tensors(trainer.stages())) {
    for (StateKind kind : kSavedStates) outcome.state.push_back(state.read(kind, tensor));
  }
  outcome.planned = trainer.runner().high_water_bytes() == trainer.runner().plan().peak_bytes;
  return outcome;
}

class Reproducible : public ::testing::TestWithParam<Mode> {};

TEST_P(Reproducible, ForEverySplitOfEveryCount) {
  for (int count = 1; count <= kMostMicroBatches; ++count) {
    ExecutionOptions execution{.mode = GetParam(), .accumulation = count, .rts_threshold = 10, .reproducible = true};
    const Outcome expected = train(execution);
    for (int replicas = 1; replicas <= std::min(kMostReplicas, count); ++replicas) {
      if (count % replicas != 0) continue;
      execution.replicas = replicas;
      execution.accumulation = count / replicas;
      execution.prefetch_depth = execution.loop_overlap = count % 3;
      const Outcome outcome = train(execution);
      EXPECT_EQ(outcome.losses, expected.losses) << replicas << " x " << execution.accumulation;
      EXPECT_EQ(outcome.state, expected.state) << replicas << " x " << execution.accumulation;
      EXPECT_TRUE(outcome.planned);
    }
  }
}

// What the test above is about: sums one micro-batch after another depend on the split.
TEST_P(Reproducible, OtherwiseTheSplitShows) {
  ExecutionOptions execution{.mode = GetParam(), .accumulation = 12, .rts_threshold = 10};
  const Outcome expected = train(execution);
  execution.replicas = 4;
  execution.accumulation = 3;
  EXPECT_NE(train(execution).state, expected.state);
}

INSTANTIATE_TEST_SUITE_P(Modes, Reproducible, ::testing::Values(Mode::phased, Mode::monolithic),
                         [](const auto& test) { return test.param == Mode::phased ? "phased" : "monolithic"; });

}  // namespace
}  // namespace phasor::test
