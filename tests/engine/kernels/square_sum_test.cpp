// The sum is exact: equal integers however it is made.
#include "engine/kernels/square_sum.h"

#include <algorithm>
#include <limits>

#include "engine/kernels/reference/square_sum.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

using SumNumbers = std::vector<std::int64_t>;

SumNumbers sum_of(std::span<const float> x, SumNumbers sum = SumNumbers(kSquareSumNumbers)) {
  square_sum(x, sum);
  return sum;
}
SumNumbers sum_of(const Floats& x) { return sum_of(std::span(x)); }

SumNumbers reference_sum_of(const Floats& x) {
  SumNumbers sum(kSquareSumNumbers);
  reference::square_sum(widen(x), sum);
  return sum;
}

constexpr float kLargest = std::numeric_limits<float>::max(), kSmallest = std::numeric_limits<float>::denorm_min();
constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(SquareSum, IsTheReferences) {
  for (std::size_t size : {0u, 1u, 7u, 16u, 16385u, 70003u})
    for (const Floats& x : {uniform(1, size), spread(2, size), cancelling(3, size)}) {
      const SumNumbers expected = reference_sum_of(x);
      for (int team : {1, 2, 3}) {
        set_threads(team);
        EXPECT_EQ(sum_of(x), expected) << size << " on " << team << " threads";
      }
      set_threads(1);
    }
}

TEST(SquareSum, HoldsEveryFloat) {
  const Floats x{kLargest, -kSmallest, 0, -0.0f, 0x1p-126f, 0x1.8p-127f, 1, 3, kLargest, -kLargest, kSmallest};
  EXPECT_EQ(sum_of(x), reference_sum_of(x));
  EXPECT_EQ(sum_of(Floats{kSmallest})[0], 1);
  EXPECT_EQ(square_sum_value(sum_of(Floats{kSmallest})), 0x1p-298);
  EXPECT_EQ(square_sum_value(sum_of(Floats{kLargest})), double{kLargest} * kLargest);
}

// More of the largest than a piece holds, so that limbs overflow if they ever do.
TEST(SquareSum, CarriesAcrossAllLimbs) {
  constexpr std::size_t kCount = 200'000;
  EXPECT_EQ(square_sum_value(sum_of(Floats(kCount, 0x1p127f))), kCount * 0x1p254);
  const Floats all_ones(kCount, 0x1.FFFFFEp0f);  // mantissas of ones
  EXPECT_EQ(square_sum_value(sum_of(all_ones)), kCount * (double{all_ones[0]} * all_ones[0]));
}

TEST(SquareSum, NeitherOrderNorDivisionShows) {
  Floats x = spread(4, 50'021);
  const SumNumbers whole = sum_of(x);
  for (std::size_t part : {1000u, 16384u, 33333u}) {
    SumNumbers in_turn(kSquareSumNumbers), apart, together(kSquareSumNumbers);
    for (std::size_t first = 0; first < x.size(); first += part) {
      const auto piece = std::span<const float>(x).subspan(first, std::min(part, x.size() - first));
      in_turn = sum_of(piece, in_turn);
      const SumNumbers sum = sum_of(piece);
      apart.insert(apart.end(), sum.begin(), sum.end());
    }
    add_square_sums(apart, together);
    EXPECT_EQ(in_turn, whole) << part;
    EXPECT_EQ(together, whole) << part;
  }
  std::ranges::reverse(x);
  EXPECT_EQ(sum_of(x), whole);
}

// Twice a rounding to double, of a number that the reference has exactly.
TEST(SquareSum, ValueIsRoundedTwiceAtMost) {
  const Floats x = spread(5, 1237);
  long double expected = 0;
  for (float value : x) expected += static_cast<long double>(value) * value;
  const double order = 0x1p-64 * static_cast<double>(x.size());  // of the sum in long double
  EXPECT_NEAR(square_sum_value(sum_of(x)), static_cast<double>(expected),
              (3 * kDoubleRoundoff + order) * static_cast<double>(expected));
}

TEST(SquareSum, IsNotANumberWhereAnElementIsNotFinite) {
  for (float bad : {kInfinity, -kInfinity, kNaN}) {
    EXPECT_TRUE(std::isnan(square_sum_value(sum_of(Floats{1, bad, 2})))) << bad;
    EXPECT_EQ(sum_of(Floats{1, bad, 2})[kSquareSumLimbs], 1);
  }
}

}  // namespace
}  // namespace phasor::kernels
