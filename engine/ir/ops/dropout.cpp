#include "engine/ir/ops/rules.h"

namespace phasor::rules {

// x, position -> y. The first dimension of x counts samples.
Specs dropout(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  expect_inputs("dropout", inputs, 2);
  expect_spec("dropout", "position", inputs[1], kRandomPositionSpec);
  const float probability = std::get<DropoutAttributes>(attributes).probability;
  ensure(probability >= 0 && probability < 1, "dropout: probability {} is outside [0, 1)", probability);
  return {inputs[0]};
}

}  // namespace phasor::rules
