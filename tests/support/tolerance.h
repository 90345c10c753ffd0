// Computed tolerances: what rounding can do to a result, and no more.
//
// With unit roundoff u = 2^-24, a result that k roundings touch has a relative error of at most
// rounding(k) = k u / (1 - k u); a sum or inner product of k terms, in whatever order, is off by at most
// rounding(k) times the sum of its terms' absolute values. Higham, "Accuracy and Stability of Numerical
// Algorithms", 3.1.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <gtest/gtest.h>
#include <span>

namespace phasor::test {

inline constexpr double kRoundoff = 0x1p-24;
inline constexpr double kDoubleRoundoff = 0x1p-53;

constexpr double rounding(double roundings) { return roundings * kRoundoff / (1 - roundings * kRoundoff); }

// Roundings that count as much as what engine/kernels/simd/vector_math.h promises (an ulp is at most two roundoffs).
// vector_math_test.cpp holds it to that.
inline constexpr double kExpRoundings = 2 * 1;
inline constexpr double kRoughExp2Roundings = 0x1p-16 / kRoundoff;
inline constexpr double kNormalRoundings = 2 * 6;
inline constexpr double kRoughNormalRoundings = 0x1p-15 / kRoundoff;
// Of vector_tanh_normal at x, which is exact to roundings of its exponent 2u.
inline double tanh_normal_roundings(double x) {
  const double t = std::min(std::abs(x), 11.0);
  return 6 + 4 * (1.5957691216057308 * t + 0.0713548162726 * t * t * t);
}
inline constexpr double kRoughTanhNormalRoundings = 0x1p-14 / kRoundoff;

// |actual[i] - expected[i]| <= bound[i], up to the smallest normal number, below which kernels may flush to 0.
inline void expect_within(std::span<const float> actual, std::span<const double> expected,
                          std::span<const double> bound) {
  ASSERT_EQ(actual.size(), expected.size());
  ASSERT_EQ(bound.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double error = std::abs(actual[i] - expected[i]);
    ASSERT_LE(error, bound[i] + FLT_MIN) << "at " << i << " of " << actual.size() << ": " << actual[i] << ", expected "
                                         << expected[i];
  }
}

}  // namespace phasor::test
