#include "engine/kernels/gelu.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {
GeluKind kind_of(const KernelArguments& arguments) { return std::get<GeluAttributes>(arguments.node.attributes).kind; }
}  // namespace

void gelu(const KernelArguments& arguments) {
  const auto in = inputs<Op::gelu>(arguments);
  const auto out = outputs<Op::gelu>(arguments);
  with_real(in["x"].spec.dtype,
            [&]<class T>() { kernels::gelu<T>(kind_of(arguments), read<T>(in["x"]), write<T>(out["y"])); });
}

void gelu_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::gelu_gradient>(arguments);
  const auto out = outputs<Op::gelu_gradient>(arguments);
  with_real(in["x"].spec.dtype, [&]<class T>() {
    kernels::gelu_gradient<T>(kind_of(arguments), read<T>(in["x"]), read<T>(in["dy"]), write<T>(out["dx"]));
  });
}

void gelu_with_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::gelu_with_gradient>(arguments);
  const auto out = outputs<Op::gelu_with_gradient>(arguments);
  with_real(in["x"].spec.dtype, [&]<class T>() {
    kernels::gelu_with_gradient<T>(kind_of(arguments), read<T>(in["x"]), read<T>(in["dy"]), write<T>(out["dx"]),
                                   write<T>(out["y"]));
  });
}

}  // namespace phasor::adapters
