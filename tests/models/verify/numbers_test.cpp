#include "models/verify/values/numbers.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "models/verify/show/words.h"
#include "models/verify/values/disturbance.h"

namespace phasor::run {
namespace verified_numbers {
namespace {

TEST(Numbers, CountWhatLiesBetween) {
  EXPECT_EQ(numbers_of(1.0f, 1.0f).ulps, 0U);
  EXPECT_EQ(numbers_of(1.0f, std::nextafter(1.0f, 2.0f)).ulps, 1U);
  EXPECT_EQ(numbers_of(1.0f, 2.0f).ulps, 1U << 23);
  EXPECT_EQ(numbers_of(0.0f, -0.0f).ulps, 1U);
  const float least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(numbers_of(-least, least).ulps, 3U);
  EXPECT_EQ(numbers_of(1.0, std::nextafter(1.0, 0.0)).ulps, 1U);
  EXPECT_EQ(to_string(numbers_of(1.0f, NAN)), "1 and nan (bits 3f800000 and 7fc00000, not both numbers)");
  EXPECT_EQ(to_string(numbers_of(0.5f, 0.25f)), "0.5 and 0.25 (bits 3f000000 and 3e800000, 8388608 ulps apart)");
}

TEST(Distance, GoesPieceByPiece) {
  const std::vector<float> a{3, 4, 0, 1}, b{3, 4, -0.0f, 3};
  Distance distance;
  for (std::size_t i = 0; i < a.size(); i += 2) distance.add(std::span(a).subspan(i, 2), std::span(b).subspan(i, 2));
  EXPECT_EQ(distance.elements(), 4);
  EXPECT_EQ(distance.different(), 2);
  EXPECT_EQ(distance.first_element(), 2);
  EXPECT_EQ(distance.largest_element(), 3);
  EXPECT_EQ(distance.largest_difference(), 2);
  EXPECT_EQ(distance.norm(), std::sqrt(26.0));
  EXPECT_EQ(distance.relative(), 2 / std::sqrt(26.0));
}

TEST(Distance, OfWhatIsNoNumberIsInfinite) {
  const std::vector<float> a{1, 2}, b{1, NAN};
  Distance distance;
  distance.add(a, b);
  EXPECT_EQ(distance.largest_element(), 1);
  EXPECT_TRUE(std::isinf(distance.relative()));
  Distance same;
  same.add(b, b);  // its bits are the same
  EXPECT_TRUE(same.equal());
}

TEST(Disturbance, IsWhatRoundingDoes) {
  EXPECT_EQ(largest_change(Rounding::precision, 100, -3, 50), 3 * 0x1p-8);
  EXPECT_EQ(largest_change(Rounding::order, 1, 3, 1), 3 * 0x1p-24);
  EXPECT_EQ(largest_change(Rounding::order, 100, 0.5, 2), 10 * 2 * 0x1p-24);
}

TEST(ElementText, IsThePlaceInEachDimension) {
  EXPECT_EQ(element_text({2, 3, 4}, 23), "[1, 2, 3]");
  EXPECT_EQ(element_text({5}, 0), "[0]");
}

}  // namespace
}  // namespace verified_numbers
}  // namespace phasor::run
