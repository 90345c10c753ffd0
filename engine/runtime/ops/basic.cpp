#include "engine/kernels/dropout.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/gelu.h"
#include "engine/kernels/layout.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {
DType dtype_of_input(const KernelArguments& arguments) { return arguments.inputs[0].spec.dtype; }
}  // namespace

void add(const KernelArguments& arguments) {
  with_real(dtype_of_input(arguments), [&]<class T>() {
    kernels::add<T>(read<T>(arguments.inputs[0]), read<T>(arguments.inputs[1]), write<T>(arguments.outputs[0]));
  });
}

void reduce_sum(const KernelArguments& arguments) {
  with_real(dtype_of_input(arguments), [&]<class T>() {
    kernels::reduce_sum<T>(read<T>(arguments.inputs[0]), write_float(arguments.outputs[0]));
  });
}

void gelu(const KernelArguments& arguments) {
  with_real(dtype_of_input(arguments),
            [&]<class T>() { kernels::gelu<T>(read<T>(arguments.inputs[0]), write<T>(arguments.outputs[0])); });
}

void gelu_gradient(const KernelArguments& arguments) {
  with_real(dtype_of_input(arguments), [&]<class T>() {
    kernels::gelu_gradient<T>(read<T>(arguments.inputs[0]), read<T>(arguments.inputs[1]),
                              write<T>(arguments.outputs[0]));
  });
}

void gelu_with_gradient(const KernelArguments& arguments) {
  with_real(dtype_of_input(arguments), [&]<class T>() {
    kernels::gelu_with_gradient<T>(read<T>(arguments.inputs[0]), read<T>(arguments.inputs[1]),
                                   write<T>(arguments.outputs[0]), write<T>(arguments.outputs[1]));
  });
}

void dropout(const KernelArguments& arguments) {
  const auto& attributes = std::get<DropoutAttributes>(arguments.node.attributes);
  with_real(dtype_of_input(arguments), [&]<class T>() {
    kernels::dropout<T>(read_position(arguments.inputs[1]), attributes.site, attributes.probability,
                        arguments.inputs[0].spec.shape[0], read<T>(arguments.inputs[0]),
                        write<T>(arguments.outputs[0]));
  });
}

void transpose(const KernelArguments& arguments) {
  const Shape& x = arguments.inputs[0].spec.shape;
  with_real(dtype_of_input(arguments), [&]<class T>() {
    kernels::transpose<T>(x.rows(), x.columns(), read<T>(arguments.inputs[0]), write<T>(arguments.outputs[0]));
  });
}

void reshape(const KernelArguments& arguments) {
  with_real(dtype_of_input(arguments),
            [&]<class T>() { kernels::copy<T>(read<T>(arguments.inputs[0]), write<T>(arguments.outputs[0])); });
}

void convert(const KernelArguments& arguments) {
  const TensorView &x = arguments.inputs[0], &y = arguments.outputs[0];
  if (y.spec.dtype == DType::bf16) {
    kernels::convert(read<float>(x), write<bfloat16>(y));
  } else {
    kernels::convert(read<bfloat16>(x), write<float>(y));
  }
}

void iota(const KernelArguments& arguments) { kernels::iota(arguments.outputs[0].as<std::int32_t>()); }

}  // namespace phasor::adapters
