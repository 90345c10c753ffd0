#include "engine/base/segments.h"

#include <gtest/gtest.h>
#include <vector>

#include "engine/base/error.h"

namespace phasor {
namespace {

using Numbers = std::vector<std::int32_t>;

TEST(Segments, KnowWhoseATokenIs) {
  const Numbers numbers{0, 3, 7, 4, 2, 5, 0, 0, 0, /* row 1 */ 2, 6, 1, 0, 0, 0, 0, 0, 0};
  const Segments segments(numbers, 2, 8);
  EXPECT_EQ(segments.of_a_row(), 3);
  EXPECT_EQ(segments.at(0, 1).first, 4);
  EXPECT_EQ(segments.at(0, 1).end(), 6);
  EXPECT_EQ(segments.at(1, 0).row, 1);
  const auto sample_of = [&](std::int64_t row, std::int64_t token) {
    const Segment segment = segments.of_token(row, token);
    return segment.tokens == 0 ? -1 : segment.sample;
  };
  std::vector<std::int64_t> samples;
  for (std::int64_t row = 0; row < 2; ++row)
    for (std::int64_t token = 0; token < 8; ++token) samples.push_back(sample_of(row, token));
  EXPECT_EQ(samples, (std::vector<std::int64_t>{7, 7, 7, -1, 5, 5, -1, -1, -1, -1, 1, 1, 1, 1, 1, 1}));
}

TEST(Segments, ThatOverlapOrLeaveTheRowAreRefused) {
  const Numbers overlap{0, 3, 0, 2, 2, 1}, outside{0, 3, 0, 3, 6, 1}, negative{0, -1, 0, 3, 1, 1},
      behind_none{0, 0, 0, 3, 1, 1};
  for (const Numbers& wrong : {overlap, outside, negative, behind_none}) {
    EXPECT_THROW(Segments(wrong, 1, 8), InternalError);
  }
}

}  // namespace
}  // namespace phasor
