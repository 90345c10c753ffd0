#include "tests/fuzz/hdf5_sums.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace phasor::fuzz {

namespace {

constexpr std::size_t kSumBytes = 4;

std::uint32_t word_at(std::string_view bytes, std::size_t place) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4 && place + i < bytes.size(); ++i) {
    word |= std::uint32_t{static_cast<unsigned char>(bytes[place + i])} << (8 * i);
  }
  return word;
}

// Jenkins, lookup3, "hashlittle" with the initial value 0.
std::uint32_t lookup3(std::string_view bytes) {
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size()), b = a, c = a;
  const auto turn = [](std::uint32_t& x, std::uint32_t y, int bits) { x = (x ^ y) - std::rotl(y, bits); };
  std::size_t place = 0;
  const auto add = [&] {
    a += word_at(bytes, place);
    b += word_at(bytes, place + 4);
    c += word_at(bytes, place + 8);
  };
  for (; bytes.size() - place > 12; place += 12) {
    add();
    a = (a - c) ^ std::rotl(c, 4), c += b;
    b = (b - a) ^ std::rotl(a, 6), a += c;
    c = (c - b) ^ std::rotl(b, 8), b += a;
    a = (a - c) ^ std::rotl(c, 16), c += b;
    b = (b - a) ^ std::rotl(a, 19), a += c;
    c = (c - b) ^ std::rotl(b, 4), b += a;
  }
  if (place == bytes.size()) return c;
  add();
  turn(c, b, 14), turn(a, c, 11), turn(b, a, 25), turn(c, b, 16), turn(a, c, 4), turn(b, a, 14), turn(c, b, 24);
  return c;
}

void renew_sum(std::string& file, std::size_t begin, std::size_t bytes) {
  if (bytes > file.size() || begin > file.size() - bytes || file.size() - bytes - begin < kSumBytes) return;
  const std::uint32_t sum = lookup3(std::string_view(file).substr(begin, bytes));
  for (std::size_t i = 0; i < kSumBytes; ++i) file[begin + bytes + i] = static_cast<char>(sum >> (8 * i));
}

// Bytes of an object header in front of its sum: signature, version, flags, times and bounds where the flags say so,
// the length of the messages in one to eight bytes, the messages.
std::size_t object_header_bytes(const std::string& file, std::size_t begin) {
  std::size_t place = begin + 6;
  if (place >= file.size()) return 0;
  const auto flags = static_cast<unsigned char>(file[begin + 5]);
  if (flags & 0x20) place += 16;
  if (flags & 0x10) place += 4;
  const std::size_t width = std::size_t{1} << (flags & 3);
  std::uint64_t messages = word_at(file, place);
  if (width < 4) messages &= (std::uint64_t{1} << (8 * width)) - 1;
  return place + width - begin + messages;
}

}  // namespace

void renew_hdf5_sums(std::string& file) {
  constexpr std::size_t kSuperblockBytes = 44;
  if (file.size() > 8 && (file[8] == 2 || file[8] == 3)) renew_sum(file, 0, kSuperblockBytes);
  for (std::size_t at = file.find("OHDR"); at != file.npos; at = file.find("OHDR", at + 1)) {
    if (const std::size_t bytes = object_header_bytes(file, at); bytes > 0) renew_sum(file, at, bytes);
  }
}

}  // namespace phasor::fuzz
