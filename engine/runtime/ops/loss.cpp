#include "engine/kernels/loss.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

void cross_entropy(const KernelArguments& arguments) {
  const auto in = inputs<Op::cross_entropy>(arguments);
  const auto out = outputs<Op::cross_entropy>(arguments);
  kernels::cross_entropy(read_float(in["logits"]), read_ids(in["labels"]), read_float(in["weights"]),
                         write_float(out["loss"]));
}

void cross_entropy_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::cross_entropy_gradient>(arguments);
  const auto out = outputs<Op::cross_entropy_gradient>(arguments);
  kernels::cross_entropy_gradient(read_float(in["logits"]), read_ids(in["labels"]), read_float(in["weights"]),
                                  read_float(in["dloss"]), write_float(out["dlogits"]));
}

}  // namespace phasor::adapters
