#include "engine/base/byte_size.h"

#include <gtest/gtest.h>

namespace phasor {
namespace {

TEST(ByteSize, IsReadInAnyUnit) {
  EXPECT_EQ(parse_byte_size("0")->bytes, 0);
  EXPECT_EQ(parse_byte_size("123")->bytes, 123);
  EXPECT_EQ(parse_byte_size("5B")->bytes, 5);
  EXPECT_EQ(parse_byte_size("3KiB")->bytes, 3072);
  EXPECT_EQ(parse_byte_size("512 MiB")->bytes, 512LL << 20);
  EXPECT_EQ(parse_byte_size("1.5GiB")->bytes, 3LL << 29);
  EXPECT_EQ(parse_byte_size("2TiB")->bytes, 2LL << 40);
}

TEST(ByteSize, RefusesWhatIsNone) {
  for (const char* text : {"", "MiB", "-1MiB", "12MB", "12 mib", "1.5", "nan", "inf", "9e30GiB", "12MiBs", "1  MiB"}) {
    EXPECT_FALSE(parse_byte_size(text)) << text;
  }
}

TEST(ByteSize, IsWrittenAsItReads) {
  EXPECT_EQ(to_string(ByteSize{512LL << 20}), "512MiB");
  EXPECT_EQ(to_string(ByteSize{1025}), "1025B");
  for (std::int64_t bytes : {0LL, 1LL, 1024LL, 3LL << 29, (1LL << 40) + 1}) {
    EXPECT_EQ(parse_byte_size(to_string(ByteSize{bytes}))->bytes, bytes);
  }
}

}  // namespace
}  // namespace phasor
