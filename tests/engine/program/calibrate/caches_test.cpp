#include "engine/program/calibrate/caches.h"

#include <gtest/gtest.h>
#include <vector>

namespace phasor {
namespace {

// That nothing is left in a cache only a clock could tell.
TEST(LeaveCaches, KeepsWhatMemoryHolds) {
  std::vector<std::byte> data(1000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7);
  const std::vector<std::byte> before = data;
  for (const std::size_t first : {0, 1, 63, 1000}) leave_caches(std::span(data).subspan(first));
  EXPECT_EQ(data, before);
}

}  // namespace
}  // namespace phasor
