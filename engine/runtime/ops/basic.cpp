#include "engine/kernels/dropout.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/gelu.h"
#include "engine/kernels/layout.h"
#include "engine/kernels/matmul.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

void matmul(const KernelArguments& arguments) {
  const auto [transpose_a, transpose_b] = std::get<MatmulAttributes>(arguments.node.attributes);
  const Shape &a = arguments.inputs[0].spec.shape, &c = arguments.outputs[0].spec.shape;
  kernels::matmul({.m = c.rows(),
                   .n = c.columns(),
                   .k = transpose_a ? a.rows() : a.columns(),
                   .transpose_a = transpose_a,
                   .transpose_b = transpose_b},
                  read(arguments.inputs[0]), read(arguments.inputs[1]), write(arguments.outputs[0]));
}

void add(const KernelArguments& arguments) {
  kernels::add(read(arguments.inputs[0]), read(arguments.inputs[1]), write(arguments.outputs[0]));
}

void reduce_sum(const KernelArguments& arguments) {
  kernels::reduce_sum(read(arguments.inputs[0]), write(arguments.outputs[0]));
}

void gelu(const KernelArguments& arguments) { kernels::gelu(read(arguments.inputs[0]), write(arguments.outputs[0])); }

void gelu_gradient(const KernelArguments& arguments) {
  kernels::gelu_gradient(read(arguments.inputs[0]), read(arguments.inputs[1]), write(arguments.outputs[0]));
}

void dropout(const KernelArguments& arguments) {
  const auto& attributes = std::get<DropoutAttributes>(arguments.node.attributes);
  kernels::dropout(read_position(arguments.inputs[1]), attributes.site, attributes.probability,
                   arguments.inputs[0].spec.shape[0], read(arguments.inputs[0]), write(arguments.outputs[0]));
}

void transpose(const KernelArguments& arguments) {
  const Shape& x = arguments.inputs[0].spec.shape;
  kernels::transpose(x.rows(), x.columns(), read(arguments.inputs[0]), write(arguments.outputs[0]));
}

void reshape(const KernelArguments& arguments) {
  kernels::copy(read(arguments.inputs[0]), write(arguments.outputs[0]));
}

void iota(const KernelArguments& arguments) { kernels::iota(arguments.outputs[0].as<std::int32_t>()); }

}  // namespace phasor::adapters
