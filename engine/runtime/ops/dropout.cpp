#include "engine/kernels/dropout.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

void dropout(const KernelArguments& arguments) {
  const auto in = inputs<Op::dropout>(arguments);
  const auto out = outputs<Op::dropout>(arguments);
  with_real(in["x"].spec.dtype, [&]<class T>() {
    const auto& [probability, site] = std::get<DropoutAttributes>(arguments.node.attributes);
    if (in.has("segments")) {
      kernels::dropout<T>(read_position(in["position"]), site, probability,
                          read_segments(in["segments"], in["x"].spec.shape), read<T>(in["x"]), write<T>(out["y"]));
      return;
    }
    kernels::dropout<T>(read_position(in["position"]), site, probability, in["x"].spec.shape[0], read<T>(in["x"]),
                        write<T>(out["y"]));
  });
}

}  // namespace phasor::adapters
