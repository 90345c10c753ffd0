#include "engine/kernels/loss.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {
// There are as many rows of tokens as rows of segments, and several rows of logits about each.
template <Op op>
Segments segments_of(const Inputs<op, TensorView>& in) {
  return read_segments(in["segments"], {in["segments"].spec.shape[0], in["logits"].spec.shape[1]});
}
}  // namespace

void cross_entropy(const KernelArguments& arguments) {
  const auto in = inputs<Op::cross_entropy>(arguments);
  const auto out = outputs<Op::cross_entropy>(arguments);
  const auto logits = read_float(in["logits"]), weights = read_float(in["weights"]);
  if (in.has("segments")) {
    kernels::cross_entropy(logits, segments_of<Op::cross_entropy>(in), read_ids(in["labels"]), weights,
                           write_float(out["loss"]));
  } else {
    kernels::cross_entropy(logits, read_ids(in["labels"]), weights, write_float(out["loss"]));
  }
}

void cross_entropy_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::cross_entropy_gradient>(arguments);
  const auto out = outputs<Op::cross_entropy_gradient>(arguments);
  const auto logits = read_float(in["logits"]), weights = read_float(in["weights"]), dloss = read_float(in["dloss"]);
  if (in.has("segments")) {
    kernels::cross_entropy_gradient(logits, segments_of<Op::cross_entropy_gradient>(in), read_ids(in["labels"]),
                                    weights, dloss, write_float(out["dlogits"]));
  } else {
    kernels::cross_entropy_gradient(logits, read_ids(in["labels"]), weights, dloss, write_float(out["dlogits"]));
  }
}

}  // namespace phasor::adapters
