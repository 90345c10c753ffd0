#include <algorithm>

#include "engine/ir/ops/rules.h"

namespace phasor::rules {

namespace {
// Whether `suffix` are the last dimensions of `shape`.
bool ends_with(const Shape& shape, const Shape& suffix) {
  const auto whole = shape.extents(), part = suffix.extents();
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.end() - suffix.rank());
}
}  // namespace

// a + b, b repeated over the leading dimensions of a.
Specs add(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("add", inputs, 2);
  ensure(ends_with(inputs[0].shape, inputs[1].shape), "add: b {} is not the last dimensions of a {}",
         to_string(inputs[1].shape), to_string(inputs[0].shape));
  ensure(inputs[0].dtype == inputs[1].dtype, "add: a is {} and b is {}", to_string(inputs[0]), to_string(inputs[1]));
  return {inputs[0]};
}

// The sum over the leading dimensions, in f32.
Specs reduce_sum(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  expect_inputs("reduce_sum", inputs, 1);
  const Shape& shape = std::get<ShapeAttributes>(attributes).shape;
  ensure(ends_with(inputs[0].shape, shape), "reduce_sum: {} is not the last dimensions of x {}", to_string(shape),
         to_string(inputs[0].shape));
  return {{DType::f32, shape}};
}

}  // namespace phasor::rules
