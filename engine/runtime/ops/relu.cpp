#include "engine/kernels/relu.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

void relu(const KernelArguments& arguments) {
  const auto in = inputs<Op::relu>(arguments);
  const auto out = outputs<Op::relu>(arguments);
  with_real(in["x"].spec.dtype, [&]<class T>() { kernels::relu<T>(read<T>(in["x"]), write<T>(out["y"])); });
}

void relu_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::relu_gradient>(arguments);
  const auto out = outputs<Op::relu_gradient>(arguments);
  with_real(in["y"].spec.dtype,
            [&]<class T>() { kernels::relu_gradient<T>(read<T>(in["y"]), read<T>(in["dy"]), write<T>(out["dx"])); });
}

}  // namespace phasor::adapters
