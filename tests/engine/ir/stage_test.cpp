#include "engine/ir/stage.h"

#include <gtest/gtest.h>

#include "engine/base/random.h"
#include "engine/ir/stage_builder.h"
#include "tests/support/message.h"

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

// The last site is that of stochastic rounding, whose draws would otherwise be those of a mask.
TEST(StageBuilder, SitesEndBeforeThatOfRounding) {
  Stage stage{.name = "wide"};
  StageBuilder b(stage);
  std::int64_t last = -1;
  for (std::int64_t i = 0; i < kRoundingSite; ++i) last = b.new_site();
  EXPECT_LT(last, kRoundingSite);
  EXPECT_EQ(message_of<InternalError>([&] { b.new_site(); }),
            "stage 'wide': has more than 255 random draws, the sites that it can tell apart");
}

TEST(Stages, CountTheirInstances) {
  Stage once, often;
  StageBuilder(once).variable("a", {10}, {}, true);
  StageBuilder(often).variable("b", {3, 4}, {}, true);
  often.instances = 5;
  EXPECT_EQ(count_instances({once, often}), 6);
  EXPECT_EQ(count_parameters({once, often}), 10 + 5 * 12);
}

// Slices are one stage to everybody else: the padding of the last is no parameter, and other stages' numbers do not
// depend on how many there are.
TEST(Stages, SlicesAreNumberedWithinTheirStage) {
  Stage table, layer, head;
  StageBuilder(table).variable("table", {4, 3}, {}, true);
  StageBuilder(layer).variable("a", {10}, {}, true);
  table.instances = 3;
  table.sliced_rows = 11;
  layer.instances = 2;
  const Stages stages{table, layer, head};
  std::vector<std::string> texts;
  for (const auto& [stage, slice] : number_instances(stages)) texts.push_back(fmt::format("{}.{}", stage, slice));
  EXPECT_EQ(texts, (std::vector<std::string>{"0.0", "0.1", "0.2", "1.0", "2.0", "3.0"}));
  EXPECT_EQ(count_elements(table, table.variables[0]), 11 * 3);
  EXPECT_EQ(count_parameters(stages), 11 * 3 + 2 * 10);
}

}  // namespace
}  // namespace phasor::test
