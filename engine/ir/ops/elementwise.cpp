#include <algorithm>

#include "engine/ir/ops/input_specs.h"

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
  const InputSpecs<Op::add> in(inputs);
  const TensorSpec &a = in["a"], &b = in["b"];
  ensure(ends_with(a.shape, b.shape), "add: b {} is not the last dimensions of a {}", to_string(b.shape),
         to_string(a.shape));
  ensure(a.dtype == b.dtype, "add: a is {} and b is {}", to_string(a), to_string(b));
  return {a};
}

// The sum over the leading dimensions, in f32.
Specs reduce_sum(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const Shape &x = InputSpecs<Op::reduce_sum>(inputs)["x"].shape, &y = std::get<ShapeAttributes>(attributes).shape;
  ensure(ends_with(x, y), "reduce_sum: {} is not the last dimensions of x {}", to_string(y), to_string(x));
  return {{DType::f32, y}};
}

}  // namespace phasor::rules
