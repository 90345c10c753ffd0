#include "engine/base/bfloat16.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace phasor {
namespace {

TEST(Bfloat16, EveryValueSurvivesTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const bfloat16 x{static_cast<std::uint16_t>(bits)};
    if (std::isnan(to_float(x))) {
      EXPECT_TRUE(std::isnan(to_float(to_bfloat16(to_float(x))))) << bits;
    } else {
      ASSERT_EQ(to_bfloat16(to_float(x)), x) << bits;
    }
  }
}

TEST(Bfloat16, RoundsToTheNearestAndTiesToEven) {
  for (std::uint32_t bits = 0x3F80; bits < 0x4100; ++bits) {  // 1 to 8
    const bfloat16 low{static_cast<std::uint16_t>(bits)}, high{static_cast<std::uint16_t>(bits + 1)};
    const float middle = (to_float(low) + to_float(high)) / 2;
    EXPECT_EQ(to_bfloat16(middle), bits % 2 == 0 ? low : high);
    EXPECT_EQ(to_bfloat16(std::nextafter(middle, 0.0f)), low);
    EXPECT_EQ(to_bfloat16(std::nextafter(middle, 10.0f)), high);
    EXPECT_EQ(to_bfloat16(-std::nextafter(middle, 10.0f)), to_bfloat16(-to_float(high)));
  }
}

TEST(Bfloat16, KeepsWhatIsNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(to_float(to_bfloat16(kInfinity)), kInfinity);
  EXPECT_EQ(to_float(to_bfloat16(-kInfinity)), -kInfinity);
  EXPECT_EQ(to_float(to_bfloat16(std::numeric_limits<float>::max())), kInfinity);
  // NaNs whose payload lies in the bits that are cut off, of either sign.
  for (std::uint32_t bits : {0x7F800001U, 0x7FFFFFFFU, 0xFF800001U, 0xFFFFFFFFU}) {
    EXPECT_TRUE(std::isnan(to_float(to_bfloat16(std::bit_cast<float>(bits)))));
  }
}

}  // namespace
}  // namespace phasor
