#include "engine/kernels/optimizer.h"

#include "engine/kernels/rounding.h"
#include "engine/kernels/square_sum.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

static_assert(kSquareSumNumbers == kernels::kSquareSumNumbers);

namespace {

kernels::AdamStep read_step(const TensorView& view) {
  const auto record = AdamStepRecord::read(read_float(view));
  return {.learning_rate = record.learning_rate,
          .gradient_scale = record.gradient_scale,
          .correction1 = record.correction1,
          .correction2 = record.correction2};
}

}  // namespace

void adam(const KernelArguments& arguments) {
  const auto& [beta1, beta2, eps, weight_decay, decoupled, rounds] =
      std::get<AdamAttributes>(arguments.node.attributes);
  const auto in = inputs<Op::adam>(arguments);
  const auto out = outputs<Op::adam>(arguments);
  const float clip = in.has("clip") ? read_float(in["clip"])[0] : 1.0f;
  kernels::adam({.beta1 = beta1, .beta2 = beta2, .eps = eps, .weight_decay = weight_decay, .decoupled = decoupled},
                read_step(in["step"]), clip,
                {.w = read_float(in["w"]),
                 .m = read_float(in["m"]),
                 .v = read_float(in["v"]),
                 .g = read_float(in["g"]),
                 .new_w = write_float(out["w"]),
                 .new_m = write_float(out["m"]),
                 .new_v = write_float(out["v"]),
                 .rounded_w = rounds ? write<bfloat16>(out["rounded"]) : std::span<bfloat16>{}});
}

// Draws are told apart by stage, variable, which takes the place of the sample, and element of the whole variable.
void stochastic_round(const KernelArguments& arguments) {
  const auto in = inputs<Op::stochastic_round>(arguments);
  const auto out = outputs<Op::stochastic_round>(arguments);
  const auto& [number, shard_elements, first_of_part, slice_elements] =
      std::get<StochasticRoundAttributes>(arguments.node.attributes);
  const auto at = UpdatePositionRecord::read(read<std::int64_t>(in["position"]));
  const RandomPosition position{.seed = at.seed, .step = at.step, .first_sample = 0, .stage = at.stage};
  const std::int64_t first = at.slice * slice_elements + at.replica * shard_elements + first_of_part;
  kernels::stochastic_round(position, number, first, read_float(in["x"]), write<bfloat16>(out["y"]));
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
                       read<std::int64_t>(in["whole"]), write_float(out["clip"]), write_float(out["norm"]));
}

}  // namespace phasor::adapters
