#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

Specs gelu(std::span<const TensorSpec> inputs, const Attributes&) { return {InputSpecs<Op::gelu>(inputs)["x"]}; }

Specs gelu_gradient(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::gelu_gradient> in(inputs);
  in.expect("dy", in["x"]);
  return {in["x"]};
}

Specs gelu_with_gradient(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::gelu_with_gradient> in(inputs);
  in.expect("dy", in["x"]);
  return {in["x"], in["x"]};
}

}  // namespace phasor::rules
