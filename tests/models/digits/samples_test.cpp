#include "models/digits/samples.h"

#include <gtest/gtest.h>

#include "models/convnet/stages.h"

namespace phasor::digits {
namespace {

constexpr convnet::Config kModel{.image_size = 16};

// Image i of three has the value 10 i everywhere, but for its last pixel.
Images images() {
  Images made{.rows = 16, .columns = 16, .pixels = {}, .labels = {7, 0, 3}};
  for (const std::uint8_t value : {0, 10, 20}) {
    made.pixels.insert(made.pixels.end(), 255, value);
    made.pixels.push_back(255);
  }
  return made;
}

TEST(ImageSamples, AreNormalisedAsTheTrainingImages) {
  const ImageSamples samples(images());
  run::BatchTensors tensors(convnet::training_stages(kModel, 2));
  samples.fill(std::vector<run::Place>{{2, 0.5F, 0}, {0, 0.25F, 1}}, tensors);
  const std::span<const float> pixels = tensors.of<float>("images");
  ASSERT_EQ(pixels.size(), 512U);
  EXPECT_NEAR(pixels[0], (20 / 255.0 - 0.1307) / 0.3081, 1e-6);
  EXPECT_NEAR(pixels[255], (1 - 0.1307) / 0.3081, 1e-6);
  EXPECT_NEAR(pixels[256], -0.1307 / 0.3081, 1e-6);
  EXPECT_EQ(tensors.of<std::int32_t>("labels")[0], 3);
  EXPECT_EQ(tensors.of<std::int32_t>("labels")[1], 7);
  EXPECT_EQ(tensors.of<float>("label_weights")[0], 0.5F);
  EXPECT_EQ(tensors.of<float>("label_weights")[1], 0.25F);
  EXPECT_EQ(samples.labels(1), 1);
}

TEST(ImageSamples, AModelThatPredictsIsGivenNoLabels) {
  Images unlabelled = images();
  unlabelled.labels.clear();
  const ImageSamples samples(unlabelled);
  run::BatchTensors tensors(convnet::inference_stages(kModel, 1));
  samples.fill(std::vector<run::Place>{{1, 0}}, tensors);
  EXPECT_NEAR(tensors.of<float>("images")[0], (10 / 255.0 - 0.1307) / 0.3081, 1e-6);
}

TEST(ImageSamples, EveryPixelAndLabelShowsInTheFingerprint) {
  const std::string fingerprint = ImageSamples(images()).fingerprint();
  EXPECT_EQ(fingerprint.size(), 32U);
  Images other = images();
  ++other.pixels[300];
  EXPECT_NE(ImageSamples(other).fingerprint(), fingerprint);
  other = images();
  ++other.labels[1];
  EXPECT_NE(ImageSamples(other).fingerprint(), fingerprint);
}

}  // namespace
}  // namespace phasor::digits
