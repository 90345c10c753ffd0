#include "engine/ir/ops/rules.h"

namespace phasor::rules {

Specs gelu(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("gelu", inputs, 1);
  return {inputs[0]};
}

// x, dy -> dx
Specs gelu_gradient(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("gelu_gradient", inputs, 2);
  expect_spec("gelu_gradient", "dy", inputs[1], inputs[0]);
  return {inputs[0]};
}

// x, dy -> dx, y
Specs gelu_with_gradient(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("gelu_with_gradient", inputs, 2);
  expect_spec("gelu_with_gradient", "dy", inputs[1], inputs[0]);
  return {inputs[0], inputs[0]};
}

}  // namespace phasor::rules
