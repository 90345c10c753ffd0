#include "engine/ir/ops/rules.h"

namespace phasor::rules {

// x [..., columns], seen as a matrix -> y [columns, rows]
Specs transpose(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("transpose", inputs, 1);
  return {{inputs[0].dtype, {inputs[0].shape.columns(), inputs[0].shape.rows()}}};
}

Specs reshape(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  expect_inputs("reshape", inputs, 1);
  const Shape& shape = std::get<ShapeAttributes>(attributes).shape;
  ensure(shape.elements() == inputs[0].elements(), "reshape: {} has {} elements, {} has {}", to_string(inputs[0].shape),
         inputs[0].elements(), to_string(shape), shape.elements());
  return {{inputs[0].dtype, shape}};
}

Specs convert(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  expect_inputs("convert", inputs, 1);
  const DType dtype = std::get<ConvertAttributes>(attributes).dtype;
  ensure(is_real(dtype) && is_real(inputs[0].dtype), "convert: {} to {}", to_string(inputs[0]), name_of(dtype));
  return {{dtype, inputs[0].shape}};
}

Specs iota(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  expect_inputs("iota", inputs, 0);
  return {{DType::i32, std::get<ShapeAttributes>(attributes).shape}};
}

}  // namespace phasor::rules
