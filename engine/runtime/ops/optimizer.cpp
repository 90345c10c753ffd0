#include "engine/kernels/optimizers/optimizer.h"

#include "engine/kernels/optimizers/adafactor.h"
#include "engine/kernels/optimizers/descent.h"
#include "engine/kernels/optimizers/lamb.h"
#include "engine/kernels/rounding.h"
#include "engine/kernels/square_sum.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

static_assert(kSquareSumNumbers == kernels::kSquareSumNumbers && 2 * kSquareSumNumbers == kernels::kLambNumbers);

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

namespace {

kernels::AdamSettings settings_of(const KernelArguments& arguments) {
  const auto& a = std::get<AdamAttributes>(arguments.node.attributes);
  return {.beta1 = a.beta1, .beta2 = a.beta2, .eps = a.eps, .weight_decay = a.weight_decay, .decoupled = a.decoupled};
}

// Sums that go on in another place than they come in.
void carry_over(const TensorView& before, const TensorView& after) {
  if (before.data != after.data) std::ranges::copy(read<std::int64_t>(before), write<std::int64_t>(after).begin());
}

}  // namespace

void lamb_moments(const KernelArguments& arguments) {
  const auto in = inputs<Op::lamb_moments>(arguments);
  const auto out = outputs<Op::lamb_moments>(arguments);
  carry_over(in["sums"], out["sums"]);
  kernels::lamb_moments(settings_of(arguments), read_step(in["step"]), in.has("clip") ? read_float(in["clip"])[0] : 1,
                        {.w = read_float(in["w"]),
                         .m = read_float(in["m"]),
                         .v = read_float(in["v"]),
                         .g = read_float(in["g"]),
                         .new_m = write_float(out["m"]),
                         .new_v = write_float(out["v"]),
                         .sums = write<std::int64_t>(out["sums"])});
}

void lamb_ratio(const KernelArguments& arguments) {
  const auto sums = read<std::int64_t>(inputs<Op::lamb_ratio>(arguments)["sums"]);
  write_float(outputs<Op::lamb_ratio>(arguments)["ratio"])[0] = kernels::lamb_ratio(sums);
}

void lamb_weights(const KernelArguments& arguments) {
  const auto in = inputs<Op::lamb_weights>(arguments);
  const auto out = outputs<Op::lamb_weights>(arguments);
  const bool rounds = std::get<AdamAttributes>(arguments.node.attributes).rounds;
  kernels::lamb_weights(settings_of(arguments), read_step(in["step"]), read_float(in["ratio"])[0],
                        {.w = read_float(in["w"]),
                         .m = read_float(in["m"]),
                         .v = read_float(in["v"]),
                         .new_w = write_float(out["w"]),
                         .rounded_w = rounds ? write<bfloat16>(out["rounded"]) : std::span<bfloat16>{}});
}

namespace {

kernels::DescentSettings descent_settings(const KernelArguments& arguments) {
  const auto& a = std::get<DescentAttributes>(arguments.node.attributes);
  return {.momentum = a.momentum, .weight_decay = a.weight_decay, .nesterov = a.nesterov};
}

}  // namespace

void momentum(const KernelArguments& arguments) {
  const auto in = inputs<Op::momentum>(arguments);
  const auto out = outputs<Op::momentum>(arguments);
  const bool rounds = std::get<DescentAttributes>(arguments.node.attributes).rounds;
  kernels::descent(descent_settings(arguments), read_step(in["step"]), in.has("clip") ? read_float(in["clip"])[0] : 1,
                   {.w = read_float(in["w"]),
                    .m = read_float(in["m"]),
                    .g = read_float(in["g"]),
                    .new_w = write_float(out["w"]),
                    .new_m = write_float(out["m"]),
                    .rounded_w = rounds ? write<bfloat16>(out["rounded"]) : std::span<bfloat16>{}});
}

void descent(const KernelArguments& arguments) {
  const auto in = inputs<Op::descent>(arguments);
  const auto out = outputs<Op::descent>(arguments);
  const bool rounds = std::get<DescentAttributes>(arguments.node.attributes).rounds;
  kernels::descent(descent_settings(arguments), read_step(in["step"]), in.has("clip") ? read_float(in["clip"])[0] : 1,
                   {.w = read_float(in["w"]),
                    .m = {},
                    .g = read_float(in["g"]),
                    .new_w = write_float(out["w"]),
                    .new_m = {},
                    .rounded_w = rounds ? write<bfloat16>(out["rounded"]) : std::span<bfloat16>{}});
}

void adafactor_sums(const KernelArguments& arguments) {
  const auto in = inputs<Op::adafactor_sums>(arguments);
  const auto out = outputs<Op::adafactor_sums>(arguments);
  carry_over(in["column_sums"], out["column_sums"]);
  kernels::adafactor_sums(read_step(in["step"]), in.has("clip") ? read_float(in["clip"])[0] : 1, read_float(in["g"]),
                          write<std::int64_t>(out["row_sums"]), write<std::int64_t>(out["column_sums"]));
}

void adafactor_factors(const KernelArguments& arguments) {
  const auto in = inputs<Op::adafactor_factors>(arguments);
  const auto out = outputs<Op::adafactor_factors>(arguments);
  const auto& a = std::get<AdafactorAttributes>(arguments.node.attributes);
  const auto numbers = static_cast<std::size_t>(a.rows + a.columns);
  const auto moments = read_float(in["moments"]);
  const auto sums = read<std::int64_t>(in["sums"]);
  const auto new_moments = write_float(out["moments"]), factors = write_float(out["factors"]);
  for (std::size_t first = 0; first < moments.size(); first += numbers) {
    kernels::adafactor_factors(read_step(in["step"]), a.rows, moments.subspan(first, numbers),
                               sums.subspan(first, numbers), new_moments.subspan(first, numbers),
                               factors.subspan(first, numbers));
  }
}

void adafactor_squares(const KernelArguments& arguments) {
  const auto in = inputs<Op::adafactor_squares>(arguments);
  const TensorView& squares = outputs<Op::adafactor_squares>(arguments)["squares"];
  carry_over(in["squares"], squares);
  kernels::adafactor_squares(read_step(in["step"]), in.has("clip") ? read_float(in["clip"])[0] : 1, read_float(in["g"]),
                             read_float(in["row_factors"]), read_float(in["column_factors"]),
                             write<std::int64_t>(squares));
}

void adafactor_weights(const KernelArguments& arguments) {
  const auto in = inputs<Op::adafactor_weights>(arguments);
  const auto out = outputs<Op::adafactor_weights>(arguments);
  const auto& a = std::get<AdafactorAttributes>(arguments.node.attributes);
  kernels::adafactor_weights(a.weight_decay, read_step(in["step"]), in.has("clip") ? read_float(in["clip"])[0] : 1,
                             {.w = read_float(in["w"]),
                              .g = read_float(in["g"]),
                              .row_factors = read_float(in["row_factors"]),
                              .column_factors = read_float(in["column_factors"]),
                              .squares = read<std::int64_t>(in["squares"]),
                              .elements = a.rows * a.columns,
                              .new_w = write_float(out["w"]),
                              .rounded_w = a.rounds ? write<bfloat16>(out["rounded"]) : std::span<bfloat16>{}});
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
