#include "engine/train/freeze.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/ir/builder.h"
#include "engine/train/state.h"

namespace phasor::test {
namespace freeze_test {
namespace {

// Four layers of a weight that is two tensors, and a bias.
Stages four_layers() {
  Stage stage{.name = "layer", .instances = 4, .prefix = "layer.{}."};
  stage.x = stage.graph.add_input({DType::f32, {2, 4}}, "x");
  stage.variables.push_back(
      {.name = "qk", .value = stage.graph.add_input({DType::f32, {4, 4}}, "qk"), .parts = {"q", "k"}});
  stage.variables.push_back({.name = "bias", .value = stage.graph.add_input({DType::f32, {4}}, "bias")});
  stage.y = stage.x;
  return {stage};
}

std::string error_of(const std::vector<std::string>& patterns) {
  try {
    freeze(four_layers(), patterns);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Freeze, SplitsAStageWhereInstancesDiffer) {
  const Stages all = four_layers(), parts = freeze(all, {"layer.0.*", "layer.1.*", "layer.3.bias"});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].name, "layer");
  EXPECT_EQ(parts[0].instances, 2);
  EXPECT_TRUE(parts[0].variables[0].frozen && parts[0].variables[1].frozen);
  EXPECT_EQ(parts[1].name, "layer.2");
  EXPECT_FALSE(parts[1].variables[0].frozen || parts[1].variables[1].frozen);
  EXPECT_EQ(parts[2].name, "layer.3");
  EXPECT_FALSE(parts[2].variables[0].frozen);
  EXPECT_TRUE(parts[2].variables[1].frozen);
  const auto before = canonical_tensors(all), after = canonical_tensors(parts);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t t = 0; t < before.size(); ++t) EXPECT_EQ(before[t].name, after[t].name);
}

TEST(Freeze, NothingIsAsItWas) { EXPECT_EQ(freeze(four_layers(), {}).size(), 1u); }

TEST(Freeze, MistakesAreTold) {
  EXPECT_EQ(error_of({"layers.*"}),
            "training.optimizer.frozen: 'layers.*' matches no tensor of the model; 'layer.0.q' would match the first");
  EXPECT_EQ(
      error_of({"layer.2.q"}),
      "training.optimizer.frozen has 'layer.2.q' but not 'layer.2.k', and both are stored as one. Freeze both, or "
      "neither");
  EXPECT_EQ(error_of({"*"}),
            "training.optimizer.frozen matches every tensor of the model, and leaves nothing to learn");
}

TEST(Freeze, PatternsArePartedByCommasOrBlanks) {
  EXPECT_EQ(split_patterns(" a.*, b?,c "), (std::vector<std::string>{"a.*", "b?", "c"}));
  EXPECT_TRUE(split_patterns("").empty());
}

}  // namespace
}  // namespace freeze_test
}  // namespace phasor::test
