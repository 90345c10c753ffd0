// The inputs of a node as shape rules see them.
#pragma once

#include "engine/ir/operands.h"
#include "engine/ir/records.h"

namespace phasor::rules {

// Throws InternalError, with the names of the op and its input, where the specs differ.
void expect_spec(Op op, std::size_t input, const TensorSpec& actual, const TensorSpec& expected);

void expect_segments_spec(Op op, std::size_t input, const TensorSpec& actual, const Shape& tensor);

template <Op op>
class InputSpecs : public Inputs<op, TensorSpec> {
 public:
  using Inputs<op, TensorSpec>::Inputs;
  void expect(InputName<op> name, const TensorSpec& expected) const {
    expect_spec(op, name.number, (*this)[name], expected);
  }
  // Where they are given: of the rows of a tensor [rows, tokens, ...] of that shape, any number a row.
  void expect_segments(InputName<op> name, const Shape& tensor) const {
    if (this->has(name)) expect_segments_spec(op, name.number, (*this)[name], tensor);
  }
};

}  // namespace phasor::rules
