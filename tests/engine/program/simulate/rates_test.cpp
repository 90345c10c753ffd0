#include "engine/program/simulate/rates.h"

#include <gtest/gtest.h>

namespace phasor::test {
namespace {

TEST(LinkRate, LatencyAndRateAreALaw) {
  const LinkRate link{.latency_seconds = 2, .bytes_per_second = 8};
  EXPECT_DOUBLE_EQ(link.seconds(0), 2);
  EXPECT_DOUBLE_EQ(link.seconds(16), 4);
  EXPECT_DOUBLE_EQ((LinkRate{.latency_seconds = 2}).seconds(16), 2);
}

TEST(LinkRate, TimeIsLinearBetweenMeasuredSizes) {
  const LinkRate link{.latency_seconds = 1,
                      .bytes_per_second = 4,
                      .measured = {{.bytes = 8, .seconds = 3}, {.bytes = 16, .seconds = 4}}};
  EXPECT_DOUBLE_EQ(link.seconds(0), 1);
  EXPECT_DOUBLE_EQ(link.seconds(4), 2);
  EXPECT_DOUBLE_EQ(link.seconds(8), 3);
  EXPECT_DOUBLE_EQ(link.seconds(12), 3.5);
  EXPECT_DOUBLE_EQ(link.seconds(16), 4);
  EXPECT_DOUBLE_EQ(link.seconds(24), 6);
}

}  // namespace
}  // namespace phasor::test
