// The inputs of a node as shape rules see them.
#pragma once

#include "engine/ir/operands.h"
#include "engine/ir/records.h"

namespace phasor::rules {

// Throws InternalError, with the names of the op and its input, where the specs differ.
void expect_spec(Op op, std::size_t input, const TensorSpec& actual, const TensorSpec& expected);

template <Op op>
class InputSpecs : public Inputs<op, TensorSpec> {
 public:
  using Inputs<op, TensorSpec>::Inputs;
  void expect(InputName<op> name, const TensorSpec& expected) const {
    expect_spec(op, name.number, (*this)[name], expected);
  }
};

}  // namespace phasor::rules
