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

// x, residual, gamma, beta, position -> sum, y, mean, rstd. The first dimension of x counts samples.
Specs dropout_add_norm(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("dropout_add_norm", inputs, 5);
  expect_spec("dropout_add_norm", "residual", inputs[1], inputs[0]);
  expect_spec("dropout_add_norm", "gamma", inputs[2], per_column(inputs[0]));
  expect_spec("dropout_add_norm", "beta", inputs[3], per_column(inputs[0]));
  expect_spec("dropout_add_norm", "position", inputs[4], kRandomPositionSpec);
  return {inputs[0], inputs[0], per_row(inputs[0]), per_row(inputs[0])};
}

// sum, gamma, mean, rstd, position, dy -> dx, dresidual, dgamma, dbeta
Specs dropout_add_norm_gradient(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("dropout_add_norm_gradient", inputs, 6);
  expect_spec("dropout_add_norm_gradient", "gamma", inputs[1], per_column(inputs[0]));
  expect_spec("dropout_add_norm_gradient", "mean", inputs[2], per_row(inputs[0]));
  expect_spec("dropout_add_norm_gradient", "rstd", inputs[3], per_row(inputs[0]));
  expect_spec("dropout_add_norm_gradient", "position", inputs[4], kRandomPositionSpec);
  expect_spec("dropout_add_norm_gradient", "dy", inputs[5], inputs[0]);
  return {inputs[0], inputs[0], per_column(inputs[0]), per_column(inputs[0])};
}

}  // namespace phasor::rules
