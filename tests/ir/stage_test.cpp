#include "engine/ir/stage.h"

#include <gtest/gtest.h>

#include "engine/ir/stage_builder.h"

namespace phasor::test {
namespace {

TEST(StageBuilder, RecordsTheRolesOfInputsAndOutputs) {
  Stage stage;
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {2, 3}});
  const Value weight = b.variable("weight", {3, 4}, {.kind = Initialiser::Kind::ones}, true);
  const Value labels = b.batch("labels", {DType::i32, {2}});
  const Value y = b.matmul(x, weight);
  b.activation_out(y);
  b.result("logits", y);
  EXPECT_EQ(stage.x, x);
  EXPECT_EQ(stage.y, y);
  EXPECT_FALSE(stage.loss.valid());
  EXPECT_EQ(stage.variables.at(0).value, weight);
  EXPECT_EQ(stage.batch.at(0).value, labels);
  EXPECT_EQ(stage.results.at(0).value, y);
  EXPECT_EQ(stage.graph.inputs, (std::vector{x, weight, labels}));
}

TEST(StageBuilder, ThereIsOnePositionAndEverySiteIsNew) {
  Stage stage;
  StageBuilder b(stage);
  EXPECT_FALSE(stage.position.valid());
  const Value position = b.position();
  EXPECT_EQ(b.position(), position);
  EXPECT_EQ(stage.graph.inputs.size(), 1);
  EXPECT_NE(b.new_site(), b.new_site());
}

TEST(Stages, CountTheirInstances) {
  Stage once, often;
  StageBuilder(once).variable("a", {10}, {}, true);
  StageBuilder(often).variable("b", {3, 4}, {}, true);
  often.instances = 5;
  EXPECT_EQ(count_instances({once, often}), 6);
  EXPECT_EQ(count_parameters({once, often}), 10 + 5 * 12);
}

}  // namespace
}  // namespace phasor::test
