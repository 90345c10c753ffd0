#include "engine/kernels/layout.h"

#include "engine/kernels/elementwise.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

void transpose(const KernelArguments& arguments) {
  const TensorView& x = inputs<Op::transpose>(arguments)["x"];
  const TensorView& y = outputs<Op::transpose>(arguments)["y"];
  with_real(x.spec.dtype, [&]<class T>() {
    kernels::transpose<T>(x.spec.shape.rows(), x.spec.shape.columns(), read<T>(x), write<T>(y));
  });
}

void reshape(const KernelArguments& arguments) {
  const TensorView& x = inputs<Op::reshape>(arguments)["x"];
  const TensorView& y = outputs<Op::reshape>(arguments)["y"];
  with_real(x.spec.dtype, [&]<class T>() { kernels::copy<T>(read<T>(x), write<T>(y)); });
}

void convert(const KernelArguments& arguments) {
  const TensorView& x = inputs<Op::convert>(arguments)["x"];
  const TensorView& y = outputs<Op::convert>(arguments)["y"];
  if (y.spec.dtype == DType::bf16) {
    kernels::convert(read<float>(x), write<bfloat16>(y));
  } else {
    kernels::convert(read<bfloat16>(x), write<float>(y));
  }
}

void places(const KernelArguments& arguments) {
  const TensorView& y = outputs<Op::places>(arguments)["y"];
  kernels::places(read_segments(inputs<Op::places>(arguments)["segments"], y.spec.shape), write<std::int32_t>(y));
}

}  // namespace phasor::adapters
