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

// Three steps of twelve made-up images.
Trained train(ExecutionOptions execution) {
  const Config config{.image_size = 18, .channels1 = 3, .channels2 = 5, .kernel_size = 4, .hidden_size = 16};
  constexpr std::int64_t kSamples = 12, kPixels = 18 * 18;
  const std::int64_t batch = kSamples / execution.replicas / execution.accumulation;
  execution.rts_threshold = 100;
  Machine machine(memory_store(), execution.replicas, execution.threads_per_replica);
  Trainer trainer(training_stages(config, batch), {}, execution, static_cast<int>(batch), machine);
  trainer.state().initialise(7);
  Trained result;
  for (std::uint32_t step = 0; step < 3; ++step) {
    std::vector<float> images(kSamples * kPixels);
    fill_uniform(step, 0, 1, images);
    std::int64_t sample = 0;
    for (int replica = 0; replica < execution.replicas; ++replica) {
      for (int m = 0; m < execution.accumulation; ++m, sample += batch) {
        std::vector<std::int32_t> labels;
        for (std::int64_t i = sample; i < sample + batch; ++i) labels.push_back(static_cast<std::int32_t>(i * 7 % 10));
        const auto size = static_cast<std::size_t>(batch);
        trainer.write_batch(
            "images", replica, m,
            std::span<const float>(images).subspan(static_cast<std::size_t>(sample) * kPixels, size * kPixels));
        trainer.write_batch("labels", replica, m, std::span<const std::int32_t>(labels));
        trainer.write_batch("label_weights", replica, m,
                            std::span<const float>(std::vector<float>(size, 1.0f / kSamples)));
      }
    }
    result.losses.push_back(trainer.step({.step = step, .seed = 7, .learning_rate = 1e-2f}));
  }
  for (const CanonicalTensor& tensor : canonical_tensors(trainer.stages())) {
    for (StateKind kind : kSavedStates) result.state.push_back(trainer.state().read(kind, tensor));
  }
  return result;
}

// recompute, replicas, accumulation, precision
using Case = std::tuple<Recompute, int, int, Precision>;

class ConvnetPhasedEqualsMonolithic : public ::testing::TestWithParam<Case> {};

TEST_P(ConvnetPhasedEqualsMonolithic, EveryWeightMomentAndLoss) {
  const auto& [recompute, replicas, accumulation, precision] = GetParam();
  ExecutionOptions execution{
      .replicas = replicas, .accumulation = accumulation, .recompute = recompute, .precision = precision};
  const Trained phased = train(execution);
  execution.mode = Mode::monolithic;
  const Trained monolithic = train(execution);
  EXPECT_EQ(phased.losses, monolithic.losses);
  EXPECT_EQ(phased.state, monolithic.state);
}

INSTANTIATE_TEST_SUITE_P(All, ConvnetPhasedEqualsMonolithic,
                         ::testing::Combine(::testing::Values(Recompute::layer, Recompute::none),
                                            ::testing::Values(1, 2, 3), ::testing::Values(1, 4),
                                            ::testing::Values(Precision::float32, Precision::bfloat16)));

}  // namespace
}  // namespace phasor::convnet
