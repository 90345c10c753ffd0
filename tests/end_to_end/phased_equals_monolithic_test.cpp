// Law 1: phased execution computes what monolithic execution computes, to the bit.
#include <gtest/gtest.h>

#include "engine/kernels/product/product.h"
#include "tests/support/pairwise.h"
#include "tests/support/training_run.h"

namespace phasor::test {
namespace {

struct Sharding {
  const char* name;
  std::int64_t threshold;
};
// Of the test model's variables, 2 to 2880 elements large.
constexpr Sharding kShardings[] = {{"all", 0}, {"some", 100}, {"nothing", 1'000'000}};

// recompute, replicas, sharding, max_grad_norm, accumulation, precision, prefetch_depth, loop_overlap, packed weights,
// activations in place
using Case = std::tuple<Recompute, int, Sharding, float, int, Precision, int, int, bool, bool>;

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  const auto& [recompute, replicas, sharding, max_norm, accumulation, precision, depth, overlap, packed, in_place] =
      info.param;
  return fmt::format("recompute_{}_replicas_{}_shard_{}_clip_{}_accumulation_{}_{}_prefetch_{}_overlap_{}{}{}",
                     recompute == Recompute::layer ? "layer" : "none", replicas, sharding.name,
                     max_norm > 0 ? "on" : "off", accumulation,
                     precision == Precision::bfloat16 ? "bfloat16" : "float32", depth, overlap, packed ? "_packed" : "",
                     in_place ? "_in_place" : "");
}

// Sizes with which weights are packed for their products, by whatever packs there is.
bert::Config packable() {
  bert::Config model = RunOptions{}.model;
  model.hidden_size = 192;
  model.heads = 2;
  model.intermediate_size = 256;
  return model;
}

class PhasedEqualsMonolithic : public ::testing::TestWithParam<Case> {};

TEST_P(PhasedEqualsMonolithic, EveryWeightMomentAndLoss) {
  const auto& [recompute, replicas, sharding, max_norm, accumulation, precision, depth, overlap, packed, in_place] =
      GetParam();
  RunOptions options;
  options.execution = {.replicas = replicas,
                       .accumulation = accumulation,
                       .rts_threshold = sharding.threshold,
                       .recompute = recompute,
                       .precision = precision,
                       .update_slice = 96,
                       .prefetch_depth = depth,
                       .loop_overlap = overlap,
                       .zero_copy = in_place};
  options.optimizer.max_grad_norm = max_norm;
  if (packed) options.model = packable();
  const RunResult phased = run_training(options);
  options.execution.mode = Mode::monolithic;
  const RunResult monolithic = run_training(options);
  EXPECT_EQ(first_difference(phased, monolithic), "");
  EXPECT_LT(phased.losses.back(), phased.losses.front());
  EXPECT_EQ(phased.high_water_bytes, phased.planned_peak_bytes);
  EXPECT_EQ(monolithic.high_water_bytes, monolithic.planned_peak_bytes);
}

// Weights that are not packed take no room for it, and no product has other bits.
class PackedWeights : public ::testing::TestWithParam<std::tuple<Mode, Precision>> {};

TEST_P(PackedWeights, AreLeftOutWithoutATrace) {
  const auto& [mode, precision] = GetParam();
  RunOptions options;
  options.model = packable();
  options.execution = {.mode = mode, .replicas = 2, .accumulation = 2, .rts_threshold = 100, .precision = precision};
  const RunResult packed = run_training(options);
  options.execution.pack_weights = false;
  const RunResult as_they_lie = run_training(options);
  EXPECT_EQ(first_difference(as_they_lie, packed), "");
  EXPECT_EQ(as_they_lie.high_water_bytes, as_they_lie.planned_peak_bytes);
  const DType type = precision == Precision::bfloat16 ? DType::bf16 : DType::f32;
  const kernels::ProductShape product{.m = 52, .n = 256, .k = 192, .operands = type, .result = type};
  if (kernels::packed_b_bytes(product) > 0 && kernels::packing_keeps_bits(product)) {
    EXPECT_LT(as_they_lie.planned_peak_bytes, packed.planned_peak_bytes);
  } else {
    EXPECT_EQ(as_they_lie.planned_peak_bytes, packed.planned_peak_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PackedWeights,
                         ::testing::Combine(::testing::Values(Mode::phased, Mode::monolithic),
                                            ::testing::Values(Precision::float32, Precision::bfloat16)),
                         [](const auto& test) {
                           return fmt::format("{}_{}",
                                              std::get<0>(test.param) == Mode::phased ? "phased" : "monolithic",
                                              std::get<1>(test.param) == Precision::bfloat16 ? "bfloat16" : "float32");
                         });

// Some stages keep their activations, the others make them again: as any other program, in either mode.
class KeptStages : public ::testing::TestWithParam<std::tuple<int, Precision>> {};

TEST_P(KeptStages, ComputeWhatAllStagesCompute) {
  const auto& [kept_stages, precision] = GetParam();
  RunOptions options;
  options.model = packable();
  options.model.layers = 3;
  options.execution = {
      .replicas = 2, .accumulation = 2, .rts_threshold = 100, .precision = precision, .prefetch_depth = 1};
  const RunResult none_kept = run_training(options);
  options.execution.kept_stages = kept_stages;
  const RunResult phased = run_training(options);
  EXPECT_EQ(first_difference(phased, none_kept), "");
  EXPECT_EQ(phased.high_water_bytes, phased.planned_peak_bytes);
  options.execution.mode = Mode::monolithic;
  const RunResult monolithic = run_training(options);
  EXPECT_EQ(first_difference(monolithic, none_kept), "");
  EXPECT_EQ(monolithic.high_water_bytes, monolithic.planned_peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(All, KeptStages,
                         ::testing::Combine(::testing::Values(1, 2, 3, 5),  // of embeddings and three layers
                                            ::testing::Values(Precision::float32, Precision::bfloat16)),
                         [](const auto& test) {
                           return fmt::format("kept_{}_{}", std::get<0>(test.param),
                                              std::get<1>(test.param) == Precision::bfloat16 ? "bfloat16" : "float32");
                         });

INSTANTIATE_TEST_SUITE_P(
    Pairs, PhasedEqualsMonolithic,
    ::testing::ValuesIn(pairwise<Recompute, int, Sharding, float, int, Precision, int, int, bool, bool>(
        {Recompute::layer, Recompute::none}, {1, 2, 3, 4}, {std::begin(kShardings), std::end(kShardings)}, {0.0f, 0.5f},
        {1, 4}, {Precision::float32, Precision::bfloat16}, {0, 1, 2}, {0, 1, 2}, {false, true}, {false, true})),
    name_of_case);

}  // namespace
}  // namespace phasor::test
