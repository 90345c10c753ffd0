#include "engine/plan/interference.h"

#include <gtest/gtest.h>

#include "engine/base/tensor.h"
#include "tests/engine/plan/random_request.h"

namespace phasor::test {
namespace {

TEST(Interference, IsThatOfTheRanges) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const MemoryRequest request = random_request(seed);
    const Interference interference(request);
    const int blocks = static_cast<int>(request.bytes.size());
    for (int a = 0; a < blocks; ++a) {
      for (int b = 0; b < a; ++b) {
        bool together = false;
        for (int time = 0; time < kEnd; ++time) together |= alive(request, a, time) && alive(request, b, time);
        EXPECT_EQ(interference.together(a, b), together) << a << ", " << b;
        EXPECT_EQ(interference.together(b, a), together) << a << ", " << b;
      }
    }
  }
}

// Of few blocks pairs are noted, in more than one word each; of very many they are not.
TEST(Interference, OfManyBlocks) {
  for (const int blocks : {64, 200, 2500}) {
    MemoryRequest request;
    for (int block = 0; block < blocks; ++block) {
      const int begin = 37 * block % 101;
      request.bytes.push_back(64);
      request.ranges.push_back({block, begin, begin + block % 23});
    }
    const Interference interference(request);
    for (int a = 0; a < blocks; ++a) {
      for (int b = a % 13; b < a; b += 13) {
        const LiveRange &one = request.ranges[a], &other = request.ranges[b];
        const bool together = one.begin <= other.end && other.begin <= one.end;
        ASSERT_EQ(interference.together(a, b), together) << a << ", " << b << " of " << blocks;
        ASSERT_EQ(interference.together(b, a), together) << a << ", " << b << " of " << blocks;
      }
    }
  }
}

TEST(Interference, CountsWhatLivesBeside) {
  const MemoryRequest request{.bytes = {1, 10, 100, 1000, 10000},
                              .ranges = {{0, 0, 9}, {1, 2, 3}, {2, 3, 12}, {3, 10, 11}, {0, 20, 21}}};
  const Interference interference(request);
  EXPECT_EQ(interference.bytes_beside(0), 1110);  // block 3 lives between its two ranges
  EXPECT_EQ(interference.bytes_beside(1), 101);
  EXPECT_EQ(interference.bytes_beside(2), 1011);
  EXPECT_EQ(interference.bytes_beside(3), 101);
  EXPECT_EQ(interference.bytes_beside(4), 0);  // never alive
}

}  // namespace
}  // namespace phasor::test
