#include "engine/base/copy.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "engine/base/parallel.h"

namespace phasor {
namespace {

class CopyBytes : public ::testing::TestWithParam<Afterwards> {};

// Sizes around those at which the way of copying changes, from and to any place, nothing beside them touched.
TEST_P(CopyBytes, CopiesAllAndNothingElse) {
  constexpr std::byte kOutside{0xEE};
  for (int team : {1, 2, 3}) {
    set_threads(team);
    for (std::size_t size : {0, 1, 63, 65535, 65536, 65537, 524288, 1572870, 4194305}) {
      for (std::size_t shift : {0, 1, 31, 64}) {
        std::vector<std::byte> from(size + shift), to(size + 2 * shift + 2, kOutside);
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::byte(i * 37 + i / 251);
        copy_bytes(std::span(from).subspan(shift), std::span(to).subspan(shift + 1, size), GetParam());
        ASSERT_TRUE(std::equal(from.begin() + static_cast<std::ptrdiff_t>(shift), from.end(),
                               to.begin() + static_cast<std::ptrdiff_t>(shift) + 1))
            << size << " from " << shift;
        for (std::size_t i = 0; i <= shift; ++i) {
          ASSERT_EQ(to[i], kOutside);
          ASSERT_EQ(to[shift + 1 + size + i], kOutside);
        }
      }
    }
  }
  set_threads(1);
}

TEST(ClearBytes, ClearsAllAndNothingElse) {
  for (int team : {1, 3}) {
    set_threads(team);
    for (std::size_t size : {0, 1, 524288, 1572870}) {
      std::vector<std::byte> bytes(size + 2, std::byte{1});
      clear_bytes(std::span(bytes).subspan(1, size));
      EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::byte{0}), static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(bytes.front(), bytes.back());
    }
  }
  set_threads(1);
}

INSTANTIATE_TEST_SUITE_P(Afterwards, CopyBytes, ::testing::Values(Afterwards::read_soon, Afterwards::put_away));

}  // namespace
}  // namespace phasor
