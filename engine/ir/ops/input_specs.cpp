#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

void expect_spec(Op op, std::size_t input, const TensorSpec& actual, const TensorSpec& expected) {
  if (actual == expected) return;
  const OpInfo& info = op_info(op);
  ensure(false, "{}: {} is {}, expected {}", info.name, info.input(input).name, to_string(actual), to_string(expected));
}

void expect_segments_spec(Op op, std::size_t input, const TensorSpec& actual, const Shape& tensor) {
  const OpInfo& info = op_info(op);
  ensure(tensor.rank() >= 2, "{}: segments of a tensor {}, expected rows of tokens", info.name, to_string(tensor));
  const std::int64_t of_a_row = actual.shape.rank() == 3 ? actual.shape[1] : 1;
  expect_spec(op, input, actual, segments_spec(tensor[0], of_a_row));
}

}  // namespace phasor::rules
