#include "engine/kernels/loss.h"
#include "engine/kernels/optimizer.h"
#include "engine/kernels/rounding.h"
#include "engine/kernels/square_sum.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {

kernels::AdamStep read_step(const TensorView& view) {
  const auto numbers = read_float(view);
  return {
      .learning_rate = numbers[0], .gradient_scale = numbers[1], .correction1 = numbers[2], .correction2 = numbers[3]};
}

}  // namespace

void cross_entropy(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  kernels::cross_entropy(read_float(in[0]), read_ids(in[1]), read_float(in[2]), write_float(arguments.outputs[0]));
}

void cross_entropy_gradient(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  kernels::cross_entropy_gradient(read_float(in[0]), read_ids(in[1]), read_float(in[2]), read_float(in[3]),
                                  write_float(arguments.outputs[0]));
}

void adam(const KernelArguments& arguments) {
  const auto& [beta1, beta2, eps, weight_decay, decoupled, rounds] =
      std::get<AdamAttributes>(arguments.node.attributes);
  const auto& in = arguments.inputs;
  const auto& out = arguments.outputs;
  const float clip = in.size() == 6 ? read_float(in[5])[0] : 1.0f;
  kernels::adam({.beta1 = beta1, .beta2 = beta2, .eps = eps, .weight_decay = weight_decay, .decoupled = decoupled},
                read_step(in[4]), clip, read_float(in[0]), read_float(in[1]), read_float(in[2]), read_float(in[3]),
                write_float(out[0]), write_float(out[1]), write_float(out[2]),
                rounds ? write<bfloat16>(out[3]) : std::span<bfloat16>{});
}

// Draws are told apart from those of dropout by their site, and from each other by stage, variable, which takes the
// place of the sample, and element of the whole variable.
void stochastic_round(const KernelArguments& arguments) {
  constexpr std::int64_t kSite = 255;
  const auto& [number, shard_elements, first_of_part, slice_elements] =
      std::get<StochasticRoundAttributes>(arguments.node.attributes);
  const auto numbers = arguments.inputs[1].as<const std::int64_t>();
  const RandomPosition position{.seed = numbers[0], .step = numbers[1], .first_sample = 0, .stage = numbers[3]};
  const std::int64_t first =
      read_slice(arguments.inputs[1]) * slice_elements + numbers[2] * shard_elements + first_of_part;
  kernels::stochastic_round(position, kSite, number, first, read_float(arguments.inputs[0]),
                            write<bfloat16>(arguments.outputs[0]));
}

void square_sum(const KernelArguments& arguments) {
  const TensorView &before = arguments.inputs[0], &sum = arguments.outputs[0];
  if (before.data != sum.data) std::ranges::copy(read<std::int64_t>(before), write<std::int64_t>(sum).begin());
  kernels::square_sum(read_float(arguments.inputs[1]), write<std::int64_t>(sum));
}

void clip_factor(const KernelArguments& arguments) {
  kernels::clip_factor(std::get<ClipAttributes>(arguments.node.attributes).max_norm,
                       read_step(arguments.inputs[2]).gradient_scale, read<std::int64_t>(arguments.inputs[0]),
                       read<std::int64_t>(arguments.inputs[1]), write_float(arguments.outputs[0]));
}

}  // namespace phasor::adapters
