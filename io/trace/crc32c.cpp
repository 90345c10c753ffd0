#include "io/trace/crc32c.h"

#include <array>
#include <bit>

namespace phasor::io {

namespace {

constexpr std::uint32_t kReflectedPolynomial = 0x82F63B78;
constexpr std::uint32_t kMaskOffset = 0xA282EAD8;

// What each value of a byte becomes in eight steps of the division.
constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? kReflectedPolynomial : 0);
    table[byte] = rest;
  }
  return table;
}

constexpr auto kCrcTable = make_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t rest = ~std::uint32_t{0};
  for (const char c : bytes) rest = rest >> 8 ^ kCrcTable[(rest ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~rest;
}

std::uint32_t masked_crc32c(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + kMaskOffset; }

}  // namespace phasor::io
