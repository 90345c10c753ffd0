#include "models/convnet/stages.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/ir/verifier.h"
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

}  // namespace
}  // namespace phasor::convnet
