#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

void expect_spec(Op op, std::size_t input, const TensorSpec& actual, const TensorSpec& expected) {
  if (actual == expected) return;
  const OpInfo& info = op_info(op);
  ensure(false, "{}: {} is {}, expected {}", info.name, info.input(input).name, to_string(actual), to_string(expected));
}

}  // namespace phasor::rules
