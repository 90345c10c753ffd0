#include "engine/ir/ops/rules.h"

namespace phasor::rules {

void expect_inputs(std::string_view op, std::span<const TensorSpec> inputs, std::size_t expected) {
  ensure(inputs.size() == expected, "{}: {} inputs, expected {}", op, inputs.size(), expected);
}

void expect_spec(std::string_view op, std::string_view what, const TensorSpec& actual, const TensorSpec& expected) {
  if (actual == expected) return;
  ensure(false, "{}: {} is {}, expected {}", op, what, to_string(actual), to_string(expected));
}

}  // namespace phasor::rules
