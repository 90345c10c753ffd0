#include "engine/plan/halving.h"

#include <gtest/gtest.h>

namespace phasor::test {
namespace {

TEST(Halving, TakesTheLargestFirstAndOfEqualsTheFirst) {
  std::int64_t a = 512, b = 1024, c = 1024;
  halve_largest({&a, &b, &c}, [&] { return a * b * c > 1 << 26; });
  EXPECT_EQ(std::vector({a, b, c}), std::vector<std::int64_t>({256, 512, 512}));
}

TEST(Halving, KeepsMultiplesOfABlockWhereThatIsEnough) {
  std::int64_t even = 1024, odd = 4000;
  halve_largest({&even, &odd}, [&] { return even * odd > 256 * 4000; });
  EXPECT_EQ(std::pair(even, odd), std::pair(std::int64_t{256}, std::int64_t{4000}));
}

TEST(Halving, OtherwiseLeavesSizesAsFarFromABlockAsTheyWere) {
  for (const std::int64_t whole : {4000, 20000, 10007, 1088, 1 << 30}) {
    std::int64_t a = whole, b = whole, c = whole;
    halve_largest({&a, &b, &c},
                  [&] { return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c) > 1e7; });
    EXPECT_LE(a * b * c, 1e7);
    for (const std::int64_t size : {a, b, c}) {
      EXPECT_EQ(size % kBlock, whole % kBlock) << whole;
      EXPECT_GE(size, kBlock) << whole;
    }
  }
}

TEST(Halving, EndsWhereNothingIsLeftToHalve) {
  std::int64_t size = 1000;
  halve_largest({&size}, [] { return true; });
  EXPECT_LT(size, 2 * kBlock);
}

}  // namespace
}  // namespace phasor::test
