#include "engine/kernels/simd/vector_math.h"

#include "tests/support/inputs.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

// Largest error over a dense sweep of [low, high], in roundings (multiples of u) of the expected value.
template <class Function, class Oracle>
double worst_roundings(float low, float high, Function function, Oracle oracle) {
  constexpr int kSteps = 1 << 20;
  double worst = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const float x = low + (high - low) * (static_cast<float>(i) / kSteps);
    const double expected = oracle(static_cast<double>(x));
    if (std::abs(expected) < FLT_MIN) continue;
    worst = std::max(worst, std::abs(function(x) - expected) / std::abs(expected) / kRoundoff);
  }
  return worst;
}

double cumulative(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }

TEST(VectorMath, ExpKeepsItsPromise) {
  const auto oracle = [](double x) { return std::exp(x); };
  EXPECT_LE(worst_roundings(-87.33f, 88, vector_exp, oracle), kExpRoundings);
  EXPECT_LE(worst_roundings(-1, 1, vector_exp, oracle), kExpRoundings);
  EXPECT_LE(worst_roundings(-1e-6f, 1e-6f, vector_exp, oracle), kExpRoundings);
}

TEST(VectorMath, ExpAtItsEdges) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(vector_exp(0), 1);
  EXPECT_EQ(vector_exp(-0.0f), 1);
  EXPECT_EQ(vector_exp(-88), 0);
  EXPECT_EQ(vector_exp(-1e30f), 0);
  EXPECT_EQ(vector_exp(-infinity), 0);
  for (std::uint32_t low_bits : {0u, 1u, 0x1FFu, 0x3FFFFFu})
    EXPECT_TRUE(std::isnan(vector_exp(std::bit_cast<float>(0x7FC00000u | low_bits)))) << low_bits;
}

TEST(VectorMath, RoughExp2KeepsItsPromise) {
  const auto oracle = [](double x) { return std::exp2(x); };
  EXPECT_LE(worst_roundings(-125.99f, 1, rough_exp2, oracle), kRoughExp2Roundings);
  EXPECT_LE(worst_roundings(-1, 1, rough_exp2, oracle), kRoughExp2Roundings);
  EXPECT_LE(worst_roundings(-1e-6f, 1e-6f, rough_exp2, oracle), kRoughExp2Roundings);
}

TEST(VectorMath, RoughExp2AtItsEdges) {
  EXPECT_EQ(rough_exp2(0), 1);
  EXPECT_EQ(rough_exp2(-127), 0);
  EXPECT_EQ(rough_exp2(-1e30f), 0);
  EXPECT_EQ(rough_exp2(-std::numeric_limits<float>::infinity()), 0);
  EXPECT_TRUE(std::isnan(rough_exp2(std::numeric_limits<float>::quiet_NaN())));
}

TEST(VectorMath, NormalKeepsItsPromise) {
  const auto phi = [](float x) { return vector_normal(x).cumulative; };
  const auto slope = [](float x) { return vector_normal(x).density; };
  for (float reach : {13.0f, 2.0f, 1e-3f}) {
    EXPECT_LE(worst_roundings(-reach, reach, phi, cumulative), kNormalRoundings);
    EXPECT_LE(worst_roundings(-reach, reach, slope, density), kNormalRoundings);
  }
}

TEST(VectorMath, NormalAtItsEdges) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(vector_normal(infinity).cumulative, 1);
  EXPECT_EQ(vector_normal(-infinity).cumulative, 0);
  EXPECT_EQ(vector_normal(infinity).density, 0);
  EXPECT_EQ(vector_normal(0).cumulative, 0.5f);
  EXPECT_TRUE(std::isnan(vector_normal(std::numeric_limits<float>::quiet_NaN()).cumulative));
  EXPECT_TRUE(std::isnan(vector_normal(std::numeric_limits<float>::quiet_NaN()).density));
}

TEST(VectorMath, RoughNormalKeepsItsPromise) {
  const auto phi = [](float x) { return rough_normal(x).cumulative; };
  const auto slope = [](float x) { return rough_normal(x).density; };
  for (float reach : {13.0f, 2.0f, 1e-3f}) {
    EXPECT_LE(worst_roundings(-reach, reach, phi, cumulative), kRoughNormalRoundings);
    EXPECT_LE(worst_roundings(-reach, reach, slope, density), kRoughNormalRoundings);
  }
}

// 1 / (1 + e^-2u), and its derivative.
double tanh_exponent(double x) { return 2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x); }
double tanh_cumulative(double x) { return 1 / (1 + std::exp(-tanh_exponent(x))); }
double tanh_density(double x) {
  return tanh_cumulative(x) * tanh_cumulative(-x) * 2 * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
}

// Whose exponent is 2u = 87.3 at 9.99, beyond which e^-2u is subnormal.
TEST(VectorMath, TanhNormalKeepsItsPromise) {
  for (float reach : {9.9f, 2.0f, 1e-3f})
    for (int step = -(1 << 19); step <= 1 << 19; ++step) {
      const float x = reach * static_cast<float>(step) / (1 << 19);
      const auto [p, slope] = vector_tanh_normal(x);
      const double expected = tanh_cumulative(x), expected_slope = tanh_density(x);
      ASSERT_NEAR(p, expected, rounding(tanh_normal_roundings(x)) * expected) << x;
      ASSERT_NEAR(slope, expected_slope, rounding(2 * tanh_normal_roundings(x)) * expected_slope) << x;
    }
}

TEST(VectorMath, RoughTanhNormalKeepsItsPromise) {
  const auto p = [](float x) { return rough_tanh_normal(x).cumulative; };
  const auto slope = [](float x) { return rough_tanh_normal(x).density; };
  for (float reach : {9.9f, 2.0f, 1e-3f}) {
    EXPECT_LE(worst_roundings(-reach, reach, p, tanh_cumulative), kRoughTanhNormalRoundings);
    EXPECT_LE(worst_roundings(-reach, reach, slope, tanh_density), kRoughTanhNormalRoundings);
  }
}

TEST(VectorMath, TanhNormalAtItsEdges) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const auto& normal : {vector_tanh_normal, rough_tanh_normal}) {
    for (float far : {11.0f, 1e30f, infinity}) {
      EXPECT_EQ(normal(far).cumulative, 1);
      EXPECT_EQ(normal(-far).cumulative, 0);
      EXPECT_EQ(normal(far).density, 0);
    }
    EXPECT_EQ(normal(0).cumulative, 0.5f);
    EXPECT_TRUE(std::isnan(normal(std::numeric_limits<float>::quiet_NaN()).density));
  }
}

TEST(VectorMath, RoughNormalAtItsEdges) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (float far : {14.0f, 1e30f, infinity}) {
    EXPECT_EQ(rough_normal(far).cumulative, 1);
    EXPECT_EQ(rough_normal(-far).cumulative, 0);
    EXPECT_EQ(rough_normal(far).density, 0);
  }
  EXPECT_TRUE(std::isnan(rough_normal(std::numeric_limits<float>::quiet_NaN()).cumulative));
}

}  // namespace
}  // namespace phasor::kernels
