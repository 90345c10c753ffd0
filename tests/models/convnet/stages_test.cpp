#include "models/convnet/stages.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/ir/verifier.h"
#include "engine/train/trainer.h"
#include "models/convnet/flops.h"

namespace phasor::convnet {
namespace {

TEST(Convnet, HasTheSizesOfItsConfig) {
  const Stages stages = training_stages({}, 3);
  for (const Stage& stage : stages) verify(stage.graph);
  EXPECT_EQ(count_parameters(stages), 90'026);
  ASSERT_EQ(stages.size(), 4U);
  EXPECT_EQ(stages[0].graph.spec(stages[0].y).shape, (Shape{3, 10, 12, 12}));
  EXPECT_EQ(stages[1].graph.spec(stages[1].y).shape, (Shape{3, 320}));
  EXPECT_EQ(stages[2].graph.spec(stages[2].y).shape, (Shape{3, 256}));
  const Stages inference = inference_stages({}, 3);
  EXPECT_EQ(inference[3].graph.spec(inference[3].results[0].value).shape, (Shape{3, 10}));
}

// conv1: 24 x 24 pixels of 10 channels, 25 taps; conv2: 8 x 8 of 20, 250; linear layers: 320 x 256 and 256 x 10.
TEST(Convnet, CountsItsFlops) {
  EXPECT_EQ(training_flops_per_sample({}), 4.0 * 576 * 10 * 25 + 6.0 * (64 * 20 * 250 + 320 * 256 + 256 * 10));
}

TEST(Convnet, ImagesThatBlocksUseUpAreRefused) {
  EXPECT_THROW(validate({.image_size = 15}), UserError);
  EXPECT_NO_THROW(validate({.image_size = 16}));
  EXPECT_THROW(validate({.classes = 0}), UserError);
}

struct Trained {
  std::vector<double> losses;
  std::vector<std::vector<float>> state;
};

// Three steps on made-up images, of two micro-batches of three.
Trained train(ExecutionOptions execution) {
  const Config config{.image_size = 18, .channels1 = 3, .channels2 = 5, .kernel_size = 4, .hidden_size = 16};
  constexpr std::int64_t kBatch = 3;
  execution.accumulation = 2;
  Machine machine(memory_store(), 1, execution.threads_per_replica);
  Trainer trainer(training_stages(config, kBatch), {}, execution, kBatch, machine);
  trainer.state().initialise(7);
  Trained result;
  for (std::uint32_t step = 0; step < 3; ++step) {
    for (int m = 0; m < execution.accumulation; ++m) {
      std::vector<float> images(kBatch * 18 * 18);
      fill_uniform(step, static_cast<std::uint32_t>(m), 1, images);
      const std::vector<std::int32_t> labels{m, 9, 4};
      trainer.write_batch("images", 0, m, std::span<const float>(images));
      trainer.write_batch("labels", 0, m, std::span<const std::int32_t>(labels));
      trainer.write_batch("label_weights", 0, m, std::span<const float>(std::vector<float>(kBatch, 1.0f / 6)));
    }
    result.losses.push_back(trainer.step({.step = step, .seed = 7, .learning_rate = 1e-2f}));
  }
  for (const CanonicalTensor& tensor : canonical_tensors(trainer.stages())) {
    for (StateKind kind : kSavedStates) result.state.push_back(trainer.state().read(kind, tensor));
  }
  return result;
}

TEST(Convnet, PhasedEqualsMonolithicToTheBit) {
  for (Precision precision : {Precision::float32, Precision::bfloat16})
    for (Recompute recompute : {Recompute::layer, Recompute::none}) {
      const Trained phased = train({.recompute = recompute, .precision = precision});
      const Trained monolithic = train({.mode = Mode::monolithic, .recompute = recompute, .precision = precision});
      EXPECT_EQ(phased.losses, monolithic.losses);
      EXPECT_EQ(phased.state, monolithic.state);
    }
}

}  // namespace
}  // namespace phasor::convnet
