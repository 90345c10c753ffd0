#include "engine/transform/name_values.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/ir/stage_builder.h"
#include "engine/transform/autodiff.h"

namespace phasor::test {
namespace {

Value weight_of(StageBuilder& b, const char* name) { return b.variable(name, {4, 4}, {}, true); }

TEST(NameValues, AfterVariablesAndOps) {
  Stage stage{.name = "layer"};
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {4, 4}});
  const Value inner = b.matmul(x, weight_of(b, "inner.weight"));
  const Value again = b.matmul(b.gelu(inner), weight_of(b, "outer.weight"));
  const Value gamma = b.variable("norm.weight", {4}, {}, false), beta = b.variable("norm.bias", {4}, {}, false);
  const Value normed = b.layer_norm(b.gelu(again), gamma, beta, {.eps = 1}).y;
  stage.graph[b.add(normed, x)].name = "sum";
  name_values(stage);
  std::vector<std::string> names;
  for (const Node& node : stage.graph.nodes) {
    for (Value output : node.outputs) names.push_back(stage.graph[output].name);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"inner", "gelu", "outer", "gelu.1", "norm.y", "norm.mean", "norm.rstd", "sum"}));
}

// Gradients are called after what they are of.
TEST(NameValues, OfGradients) {
  Stage stage{.name = "layer"};
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {4, 4}});
  const Value y = b.matmul(b.gelu(x), weight_of(b, "w.weight"));
  name_values(stage);
  const Value dy = stage.graph.add_input({DType::f32, {4, 4}}, "dy");
  const Seed seed{y, dy};
  autodiff(stage.graph, std::span(&seed, 1), std::span(&x, 1));
  std::vector<std::string> names;
  for (const ValueInfo& value : stage.graph.values) names.push_back(value.name);
  EXPECT_EQ(std::ranges::count(names, "d gelu"), 1);
  EXPECT_EQ(std::ranges::count(names, "d w"), 0);  // it is called dy already
}

}  // namespace
}  // namespace phasor::test
