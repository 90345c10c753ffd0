#include "engine/train/trainer.h"

#include <cmath>
#include <gtest/gtest.h>
#include <mutex>

#include "tests/engine/train/toy_model.h"
#include "tests/support/inputs.h"
#include "tests/support/tolerance.h"

namespace phasor::test {
namespace {

constexpr int kAccumulation = 2;
constexpr StepNumbers kFirst{.step = 0, .seed = 7, .learning_rate = 0.1f};

// The toy model on two replicas of two micro-batches each.
class TrainerTest : public ::testing::TestWithParam<Mode> {
 protected:
  static constexpr int kReplicas = 2;

  TrainerTest() {
    trainer.state().initialise(3);
    for (int replica = 0; replica < kReplicas; ++replica)
      for (int m = 0; m < kAccumulation; ++m) {
        const auto seed = static_cast<std::uint64_t>(kAccumulation * replica + m);
        const Floats features = uniform(seed, kToySamples * kToyFeatures), weights(kToySamples, 0.125f);
        const Ids labels = random_ids(seed, kToySamples, kToyClasses);
        trainer.write_batch("features", replica, m, std::span(features));
        trainer.write_batch("labels", replica, m, std::span(labels));
        trainer.write_batch("label_weights", replica, m, std::span(weights));
      }
  }

  Machine machine{memory_store(), kReplicas, 1};
  Trainer trainer{toy_model(),
                  {},
                  {.mode = GetParam(), .replicas = kReplicas, .accumulation = kAccumulation, .rts_threshold = 10},
                  static_cast<int>(kToySamples),
                  machine};
};

TEST_P(TrainerTest, TheLossIsThatBeforeTheUpdate) {
  StepNumbers still = kFirst;
  still.learning_rate = 0;
  const double loss = trainer.step(still);
  EXPECT_EQ(trainer.step(kFirst), loss);
  EXPECT_NE(trainer.step(kFirst), loss);
}

// The state of every variable, and of its moments.
std::vector<std::vector<float>> all_of(const Stages& stages, const ModelState& state) {
  std::vector<std::vector<float>> all;
  for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
    for (StateKind kind : kSavedStates) all.push_back(state.read(kind, tensor));
  }
  return all;
}

// y = gelu(x weight) of another width.
Stage resized(const char* name, std::int64_t inputs, std::int64_t outputs) {
  Stage stage{.name = name, .prefix = fmt::format("toy.{}.", name)};
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {kToySamples, inputs}});
  const Initialiser normal{.kind = Initialiser::Kind::truncated_normal, .deviation = 1};
  b.activation_out(b.gelu(b.matmul(x, b.variable("weight", {inputs, outputs}, normal, true))));
  return stage;
}

// Of widths 6, 5, 6, 5, 6: two buffers, of which each has rows of several boundaries.
TEST(Activations, OfDifferentShapesAreKeptApart) {
  const Stages stages{toy_body(),
                      resized("narrow0", kToyHidden, kToyHidden - 1),
                      resized("wide0", kToyHidden - 1, kToyHidden),
                      resized("narrow1", kToyHidden, kToyHidden - 1),
                      resized("wide1", kToyHidden - 1, kToyHidden),
                      toy_head()};
  const auto trained = [&](Mode mode) {
    Machine machine(memory_store(), 1, 1);
    Trainer trainer(stages, {}, {.mode = mode, .accumulation = kAccumulation}, static_cast<int>(kToySamples), machine);
    trainer.state().initialise(3);
    for (int m = 0; m < kAccumulation; ++m) {
      const Floats features = uniform(static_cast<std::uint64_t>(m), kToySamples * kToyFeatures);
      const Floats weights(kToySamples, 0.25f);
      const Ids labels = random_ids(static_cast<std::uint64_t>(m), kToySamples, kToyClasses);
      trainer.write_batch("features", 0, m, std::span(features));
      trainer.write_batch("labels", 0, m, std::span(labels));
      trainer.write_batch("label_weights", 0, m, std::span(weights));
    }
    const double loss = trainer.step(kFirst);
    return std::pair(loss, all_of(trainer.stages(), trainer.state()));
  };
  EXPECT_EQ(trained(Mode::phased), trained(Mode::monolithic));
}

// Whoever holds up the first change still sees the state of the step before.
TEST_P(TrainerTest, AsksBeforeItChangesTheState) {
  ModelState& state = trainer.state();
  trainer.step(kFirst);
  trainer.state();
  const auto before = all_of(trainer.stages(), state);
  std::mutex mutex;
  int calls = 0;
  trainer.before_state_changes([&] {
    const std::lock_guard lock(mutex);
    if (++calls == 1) {
      EXPECT_EQ(all_of(trainer.stages(), state), before);
    }
  });
  trainer.step(kFirst);
  trainer.state();
  EXPECT_GE(calls, kReplicas);
  EXPECT_NE(all_of(trainer.stages(), state), before);
}

// Dropout draws anew for another seed and for another step.
TEST_P(TrainerTest, DropoutFollowsSeedAndStep) {
  StepNumbers still = kFirst;
  still.learning_rate = 0;
  const double loss = trainer.step(still);
  still.seed += 1;
  EXPECT_NE(trainer.step(still), loss);
  still.seed -= 1;
  still.step += 1;
  EXPECT_NE(trainer.step(still), loss);
}

// Every label counts with its weight: of equal logits, log(classes) each.
TEST_P(TrainerTest, WhatIsWrittenToTheStateTakesEffect) {
  trainer.step(kFirst);
  ModelState& state = trainer.state();
  state.write(StateKind::weight, 1, 0, 0, std::vector<float>(kToyHidden * kToyClasses));
  state.write(StateKind::weight, 1, 0, 1, std::vector<float>(kToyClasses));
  const double labels = kReplicas * kAccumulation * kToySamples, expected = labels * 0.125 * std::log(kToyClasses);
  EXPECT_NEAR(trainer.step(kFirst), expected, rounding(labels + kToyClasses + kExpRoundings) * expected);
}

// Looking at the state between two steps changes nothing.
TEST_P(TrainerTest, TheStateCanBeReadAtAnyTime) {
  trainer.step(kFirst);
  const std::vector<float> weight = trainer.state().read(StateKind::weight, 1, 0, 0);
  EXPECT_EQ(trainer.state().read(StateKind::weight, 1, 0, 0), weight);
  trainer.step(kFirst);
  EXPECT_NE(trainer.state().read(StateKind::weight, 1, 0, 0), weight);
}

TEST_P(TrainerTest, LearnsByHeart) {
  const double before = trainer.step(kFirst);
  double after = before;
  for (int step = 1; step < 50; ++step) after = trainer.step({.step = step, .seed = 7, .learning_rate = 0.1f});
  EXPECT_LT(after, before);
}

INSTANTIATE_TEST_SUITE_P(Modes, TrainerTest, ::testing::Values(Mode::phased, Mode::monolithic),
                         [](const auto& test) { return test.param == Mode::phased ? "phased" : "monolithic"; });

}  // namespace
}  // namespace phasor::test
