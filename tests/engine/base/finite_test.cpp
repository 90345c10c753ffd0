#include "engine/base/finite.h"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace phasor {
namespace {

TEST(Finite, TheFirstValueThatIsNotIsFoundWhereverItIs) {
  constexpr float kLargest = std::numeric_limits<float>::max(), kInfinity = std::numeric_limits<float>::infinity();
  for (const std::size_t count : {0, 1, 15, 16, 17, 4095, 4096, 4097, 9000}) {
    std::vector<float> values(count, -kLargest);
    for (std::size_t i = 0; i < count; i += 2) values[i] = std::numeric_limits<float>::denorm_min();
    EXPECT_EQ(first_not_finite(values), std::nullopt) << count;
    for (const std::size_t where : {std::size_t{0}, count / 3, count / 2, count - 1}) {
      if (where >= count) continue;
      for (const float wrong : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
        std::vector<float> damaged = values;
        damaged[where] = damaged[count - 1] = wrong;
        EXPECT_EQ(first_not_finite(damaged), where) << count;
      }
    }
  }
}

}  // namespace
}  // namespace phasor
