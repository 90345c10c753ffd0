#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

// x [..., columns], seen as a matrix -> y [columns, rows]
Specs transpose(std::span<const TensorSpec> inputs, const Attributes&) {
  const TensorSpec& x = InputSpecs<Op::transpose>(inputs)["x"];
  return {{x.dtype, {x.shape.columns(), x.shape.rows()}}};
}

Specs reshape(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const TensorSpec& x = InputSpecs<Op::reshape>(inputs)["x"];
  const Shape& shape = std::get<ShapeAttributes>(attributes).shape;
  ensure(shape.elements() == x.elements(), "reshape: {} has {} elements, {} has {}", to_string(x.shape), x.elements(),
         to_string(shape), shape.elements());
  return {{x.dtype, shape}};
}

Specs convert(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const TensorSpec& x = InputSpecs<Op::convert>(inputs)["x"];
  const DType dtype = std::get<ConvertAttributes>(attributes).dtype;
  ensure(is_real(dtype) && is_real(x.dtype), "convert: {} to {}", to_string(x), name_of(dtype));
  return {{dtype, x.shape}};
}

// segments [rows, segments of a row, 3] -> y [rows, sequence]
Specs places(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const Shape& shape = std::get<ShapeAttributes>(attributes).shape;
  InputSpecs<Op::places>(inputs).expect_segments("segments", shape);
  ensure(shape.rank() == 2, "places: {} has rank {}, expected 2", to_string(shape), shape.rank());
  return {{DType::i32, shape}};
}

}  // namespace phasor::rules
