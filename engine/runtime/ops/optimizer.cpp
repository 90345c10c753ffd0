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

void adam(const KernelArguments& arguments) {
  const auto& [beta1, beta2, eps, weight_decay, decoupled, rounds] =
      std::get<AdamAttributes>(arguments.node.attributes);
  const auto in = inputs<Op::adam>(arguments);
  const auto out = outputs<Op::adam>(arguments);
  const float clip = in.has("clip") ? read_float(in["clip"])[0] : 1.0f;
  kernels::adam({.beta1 = beta1, .beta2 = beta2, .eps = eps, .weight_decay = weight_decay, .decoupled = decoupled},
                read_step(in["step"]), clip, read_float(in["w"]), read_float(in["m"]), read_float(in["v"]),
                read_float(in["g"]), write_float(out["w"]), write_float(out["m"]), write_float(out["v"]),
                rounds ? write<bfloat16>(out["rounded"]) : std::span<bfloat16>{});
}

// Draws are told apart from those of dropout by their site, and from each other by stage, variable, which takes the
// place of the sample, and element of the whole variable.
void stochastic_round(const KernelArguments& arguments) {
  constexpr std::int64_t kSite = 255;
  const auto in = inputs<Op::stochastic_round>(arguments);
  const auto out = outputs<Op::stochastic_round>(arguments);
  const auto& [number, shard_elements, first_of_part, slice_elements] =
      std::get<StochasticRoundAttributes>(arguments.node.attributes);
  const auto numbers = in["position"].as<const std::int64_t>();
  const RandomPosition position{.seed = numbers[0], .step = numbers[1], .first_sample = 0, .stage = numbers[3]};
  const std::int64_t first = read_slice(in["position"]) * slice_elements + numbers[2] * shard_elements + first_of_part;
  kernels::stochastic_round(position, kSite, number, first, read_float(in["x"]), write<bfloat16>(out["y"]));
}

void square_sum(const KernelArguments& arguments) {
  const auto in = inputs<Op::square_sum>(arguments);
  const TensorView &before = in["sum"], &sum = outputs<Op::square_sum>(arguments)["y"];
  if (before.data != sum.data) std::ranges::copy(read<std::int64_t>(before), write<std::int64_t>(sum).begin());
  kernels::square_sum(read_float(in["x"]), write<std::int64_t>(sum));
}

void clip_factor(const KernelArguments& arguments) {
  const auto in = inputs<Op::clip_factor>(arguments);
  const auto out = outputs<Op::clip_factor>(arguments);
  kernels::clip_factor(std::get<ClipAttributes>(arguments.node.attributes).max_norm,
                       read_step(in["step"]).gradient_scale, read<std::int64_t>(in["sharded"]),
                       read<std::int64_t>(in["whole"]), write_float(out["clip"]));
}

}  // namespace phasor::adapters
