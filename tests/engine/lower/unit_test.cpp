#include "engine/lower/units/unit.h"

#include <gtest/gtest.h>

#include "engine/ir/printer.h"
#include "engine/ir/verifier.h"
#include "tests/engine/train/toy_model.h"

namespace phasor::test {
namespace {

// The toy model with a second stage between: x -> gelu(x weight), twice.
Stages deep_model() {
  Stage stage;
  stage.name = "middle";
  stage.instances = 2;
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {kToySamples, kToyHidden}});
  b.batch("features", {DType::f32, {kToySamples, kToyFeatures}});  // also read by the body
  const Value weight = b.variable("weight", {kToyHidden, kToyHidden}, {}, true);
  const Value position = b.position();
  b.activation_out(b.dropout(b.gelu(b.matmul(x, weight)), position, {.probability = 0.5f, .site = 0}));
  return {toy_body(), stage, toy_head()};
}

TEST(StageUnits, AUnitAStage) {
  const std::vector<Unit> units = stage_units(deep_model());
  ASSERT_EQ(units.size(), 3);
  EXPECT_EQ(units[1].name, "middle");
  EXPECT_EQ(units[1].instances, 2);
  EXPECT_TRUE(units[1].kept.empty());
  // The body writes activation 0, the middles 1 and 2; the head counts on.
  EXPECT_EQ(units[0].first_boundary, 0);
  EXPECT_EQ(units[1].first_boundary, 1);
  EXPECT_EQ(units[2].first_boundary, 3);
  EXPECT_EQ(units[1].positions.at(0).instance, 1);
  EXPECT_TRUE(units[2].positions.empty());
  EXPECT_EQ(units[2].variables.size(), 2);
  EXPECT_EQ(units[2].variables[1].stage, 2);
  EXPECT_EQ(units[2].variables[1].variable, 1);
}

// Whatever the number of slices, the stages behind write the same activations.
TEST(StageUnits, SlicesWriteOneActivation) {
  Stages stages = deep_model();
  stages[1].sliced_rows = 11;
  const std::vector<Unit> units = stage_units(stages);
  EXPECT_TRUE(units[1].sliced);
  EXPECT_EQ(units[1].first_boundary, 1);
  EXPECT_EQ(units[2].first_boundary, 2);
  EXPECT_EQ(units[2].first_instance, 3);
  EXPECT_THROW(model_unit(stages), InternalError);
}

TEST(ModelUnit, StagesStandOneBehindTheOther) {
  Unit unit = model_unit(deep_model());
  unit.graph.outputs = {unit.loss};
  verify(unit.graph);
  EXPECT_EQ(unit.instances, 1);
  EXPECT_FALSE(unit.x.valid());
  EXPECT_FALSE(unit.y.valid());
  EXPECT_EQ(to_string(unit.graph),
            "inputs  %0.body.0.weight: f32[3, 6], %1.features: f32[2, 3], %2.position: i64[5], %6.middle.0.weight: "
            "f32[6, 6], %7.position: i64[5], %11.middle.1.weight: f32[6, 6], %12.position: i64[5], %16.head.0.weight: "
            "f32[6, 4], %17.head.0.bias: f32[4], %18.labels: i32[2], %19.label_weights: f32[2]\n"
            "  %3: f32[2, 6] = matmul(%1.features, %0.body.0.weight)\n"
            "  %4: f32[2, 6] = gelu(%3)\n"
            "  %5: f32[2, 6] = dropout(%4, %2.position) probability=0.5 site=0\n"
            "  %8: f32[2, 6] = matmul(%5, %6.middle.0.weight)\n"
            "  %9: f32[2, 6] = gelu(%8)\n"
            "  %10: f32[2, 6] = dropout(%9, %7.position) probability=0.5 site=0\n"
            "  %13: f32[2, 6] = matmul(%10, %11.middle.1.weight)\n"
            "  %14: f32[2, 6] = gelu(%13)\n"
            "  %15: f32[2, 6] = dropout(%14, %12.position) probability=0.5 site=0\n"
            "  %20: f32[2, 4] = matmul(%15, %16.head.0.weight)\n"
            "  %21: f32[2, 4] = add(%20, %17.head.0.bias)\n"
            "  %22: f32[1] = cross_entropy(%21, %18.labels, %19.label_weights)\n"
            "outputs %22\n");
}

// Variables come in the order in which phases update them, each with the row of its instance.
TEST(ModelUnit, VariablesOfTheLastStageFirst) {
  const Unit unit = model_unit(deep_model());
  std::vector<std::string> texts;
  for (const UnitVariable& v : unit.variables) {
    texts.push_back(
        fmt::format("{} row {} of stage {} variable {}", unit.graph[v.value].name, v.row, v.stage, v.variable));
  }
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "head.0.weight row 0 of stage 2 variable 0", "head.0.bias row 0 of stage 2 variable 1",
                       "middle.1.weight row 1 of stage 1 variable 0", "middle.0.weight row 0 of stage 1 variable 0",
                       "body.0.weight row 0 of stage 0 variable 0"}));
}

TEST(ModelUnit, ABatchTensorOfTwoStagesIsOneInput) {
  const Unit unit = model_unit(deep_model());
  std::vector<std::string> names;
  for (const NamedValue& item : unit.batch) names.push_back(item.name);
  EXPECT_EQ(names, (std::vector<std::string>{"features", "labels", "label_weights"}));
}

TEST(ModelUnit, EveryInstanceDrawsAtItsOwnPosition) {
  const Unit unit = model_unit(deep_model());
  ASSERT_EQ(unit.positions.size(), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(unit.positions[i].instance, i);
}

}  // namespace
}  // namespace phasor::test
