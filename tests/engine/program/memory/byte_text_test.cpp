#include "engine/program/memory/byte_text.h"

#include <gtest/gtest.h>

namespace phasor {
namespace {

TEST(ByteText, ShowsMoreThanZeros) {
  EXPECT_EQ(byte_text(0), "0 B");
  EXPECT_EQ(byte_text(512), "512 B");
  EXPECT_EQ(byte_text(10 << 10), "10.0 KiB");
  EXPECT_EQ(byte_text(1 << 20), "1.0 MiB");
  EXPECT_EQ(byte_text(std::int64_t{100} << 30), "102400.0 MiB");
}

}  // namespace
}  // namespace phasor
