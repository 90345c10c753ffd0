#include "io/byte_pair/byte_characters.h"

#include <array>

#include "io/text/utf8.h"

namespace phasor::io {

namespace {

constexpr char32_t kFirstOfOthers = 0x100;
constexpr int kBytes = 256;
constexpr int kOthers = 68;

constexpr bool is_printable(int byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

struct Alphabet {
  std::array<char32_t, kBytes> characters{};
  std::array<int, kFirstOfOthers + kOthers> bytes{};  // [character] -1: none

  constexpr Alphabet() {
    bytes.fill(-1);
    char32_t next = kFirstOfOthers;
    for (int byte = 0; byte < kBytes; ++byte) {
      const char32_t character = is_printable(byte) ? static_cast<char32_t>(byte) : next++;
      characters[static_cast<std::size_t>(byte)] = character;
      bytes[character] = byte;
    }
  }
};

constexpr Alphabet kAlphabet;

}  // namespace

std::string byte_character(unsigned char byte) {
  std::string character;
  append_utf8(kAlphabet.characters[byte], character);
  return character;
}

std::optional<std::string> bytes_of_characters(std::string_view name) {
  std::string bytes;
  for (std::size_t at = 0; at < name.size();) {
    const char32_t character = next_code_point(name, at);
    if (character >= kAlphabet.bytes.size() || kAlphabet.bytes[character] < 0) return std::nullopt;
    bytes += static_cast<char>(kAlphabet.bytes[character]);
  }
  return bytes;
}

}  // namespace phasor::io
