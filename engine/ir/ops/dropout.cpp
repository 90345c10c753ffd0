#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

// The first dimension of x counts samples; with segments it counts rows and the next one their tokens.
Specs dropout(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::dropout> in(inputs);
  in.expect("position", kRandomPositionSpec);
  in.expect_segments("segments", in["x"].shape);
  const float probability = std::get<DropoutAttributes>(attributes).probability;
  ensure(probability >= 0 && probability < 1, "dropout: probability {} is outside [0, 1)", probability);
  return {in["x"]};
}

}  // namespace phasor::rules
