#include "engine/kernels/simd/lanes.h"

#include "tests/support/inputs.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

TEST(Lanes, SumsWithinItsBoundAtEveryLength) {
  for (std::size_t count = 0; count < 100; ++count) {
    const Floats x = spread(count, count);
    double expected = 0, size = 0;
    for (float value : x) expected += value, size += std::abs(value);
    const float sum = lane_sum<float>(static_cast<std::int64_t>(count), [&](std::int64_t i) { return x[i]; });
    EXPECT_NEAR(sum, expected, rounding(static_cast<double>(count)) * size) << count;
  }
}

TEST(Lanes, FindsTheMaximumAtEveryPlace) {
  for (std::size_t count : {1u, 15u, 16u, 17u, 33u, 64u})
    for (std::size_t place = 0; place < count; ++place) {
      Floats x(count, -3.0f);
      x[place] = -2;
      EXPECT_EQ(lane_max<float>(static_cast<std::int64_t>(count), [&](std::int64_t i) { return x[i]; }), -2);
    }
  EXPECT_EQ(lane_max<float>(0, [](std::int64_t) { return 0.0f; }), -std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace phasor::kernels
