#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

Specs relu(std::span<const TensorSpec> inputs, const Attributes&) { return {InputSpecs<Op::relu>(inputs)["x"]}; }

Specs relu_gradient(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::relu_gradient> in(inputs);
  in.expect("dy", in["y"]);
  return {in["y"]};
}

}  // namespace phasor::rules
