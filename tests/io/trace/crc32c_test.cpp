#include "io/trace/crc32c.h"

#include <gtest/gtest.h>
#include <string>

namespace phasor::io {
namespace {

// RFC 3720, appendix B.4.
TEST(Crc32c, GivesTheExamplesOfItsSpecification) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  std::string ascending;
  for (char c = 0; c < 32; ++c) ascending += c;
  EXPECT_EQ(crc32c(ascending), 0x46DD794EU);
  EXPECT_EQ(crc32c(""), 0U);
}

// mask(crc) = ((crc >> 15) | (crc << 17)) + 0xa282ead8, in 32 bits.
TEST(Crc32c, IsMaskedAsTfrecordsWant) {
  const std::uint64_t crc = 0xE3069283U;
  EXPECT_EQ(masked_crc32c("123456789"), ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF);
}

}  // namespace
}  // namespace phasor::io
