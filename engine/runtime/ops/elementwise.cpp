#include "engine/kernels/elementwise.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

void add(const KernelArguments& arguments) {
  const auto in = inputs<Op::add>(arguments);
  const auto out = outputs<Op::add>(arguments);
  with_real(in["a"].spec.dtype,
            [&]<class T>() { kernels::add<T>(read<T>(in["a"]), read<T>(in["b"]), write<T>(out["y"])); });
}

void reduce_sum(const KernelArguments& arguments) {
  const auto in = inputs<Op::reduce_sum>(arguments);
  const auto out = outputs<Op::reduce_sum>(arguments);
  with_real(in["x"].spec.dtype, [&]<class T>() { kernels::reduce_sum<T>(read<T>(in["x"]), write_float(out["y"])); });
}

}  // namespace phasor::adapters
