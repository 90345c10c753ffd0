#include "bench/register_peak.h"

#include <gtest/gtest.h>

#include "bench/timed_product.h"
#include "bench/timing.h"
#include "engine/base/parallel.h"
#include "engine/kernels/product/instruction_set.h"
#include "tests/support/sanitized.h"

namespace phasor::bench {
namespace {

TEST(RegisterPeak, OfATeamIsPositiveAndNamesItsInstruction) {
  for (const int team : {1, 3}) {
    set_threads(team);
    for (const DType type : {DType::f32, DType::bf16}) {
      const RegisterPeak peak = register_peak(type);
      EXPECT_GT(peak.flops_per_second, 0);
      EXPECT_FALSE(peak.instruction.empty());
    }
  }
}

TEST(RegisterPeak, IsOfTheInstructionsThatProductsMayUse) {
  using kernels::InstructionSet;
  const InstructionSet set = kernels::instruction_set();
  if (set < InstructionSet::avx512) GTEST_SKIP() << "there are no two loops to tell apart: " << name_of(set);
  set_threads(1);
  EXPECT_EQ(register_peak(DType::f32, InstructionSet::avx512).instruction, "fma avx512f");
  for (const DType type : {DType::f32, DType::bf16})
    EXPECT_EQ(register_peak(type, InstructionSet::avx2).instruction, "fma avx2");
}

// Other work on the machine slows either down, so the fastest of many short runs are compared. Ten times the rate of a
// product is more than any peak, unless turns were left out.
TEST(RegisterPeak, IsWhatProductsComeCloseToAndDoNotExceed) {
  if (test::kSanitized)
    GTEST_SKIP() << "a loop that a sanitizer's build does not keep in registers is no measure of them";
  constexpr double kAgreement = 1.1, kFar = 10;
  const auto& s = training_product({.m = 256, .n = 256, .k = 256, .transpose_b = true}, DType::f32);
  set_threads(1);
  const std::vector<ProductWay> ways = product_ways(s, 1);
  double peak = 0, product = 0;
  for (int round = 0; round < 10; ++round) {
    peak = std::max(peak, register_peak(DType::f32).flops_per_second);
    const double flops = 2.0 * static_cast<double>(s.m * s.n * s.k);
    for (const ProductWay& way : ways) product = std::max(product, flops / seconds_of(way.run));
  }
  EXPECT_LT(product, kAgreement * peak);
  EXPECT_GT(kFar * product, peak);
}

}  // namespace
}  // namespace phasor::bench
