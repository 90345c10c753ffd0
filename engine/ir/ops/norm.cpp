#include "engine/ir/ops/rules.h"

namespace phasor::rules {

namespace {
TensorSpec per_row(const TensorSpec& x) { return {DType::f32, {x.shape.rows()}}; }
TensorSpec per_column(const TensorSpec& x) { return {DType::f32, {x.shape.columns()}}; }
}  // namespace

// x, gamma, beta -> y, mean, rstd
Specs layer_norm(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("layer_norm", inputs, 3);
  expect_spec("layer_norm", "gamma", inputs[1], per_column(inputs[0]));
  expect_spec("layer_norm", "beta", inputs[2], per_column(inputs[0]));
  return {inputs[0], per_row(inputs[0]), per_row(inputs[0])};
}

// x, gamma, mean, rstd, dy -> dx, dgamma, dbeta
Specs layer_norm_gradient(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("layer_norm_gradient", inputs, 5);
  expect_spec("layer_norm_gradient", "gamma", inputs[1], per_column(inputs[0]));
  expect_spec("layer_norm_gradient", "mean", inputs[2], per_row(inputs[0]));
  expect_spec("layer_norm_gradient", "rstd", inputs[3], per_row(inputs[0]));
  expect_spec("layer_norm_gradient", "dy", inputs[4], inputs[0]);
  return {inputs[0], per_column(inputs[0]), per_column(inputs[0])};
}

}  // namespace phasor::rules
