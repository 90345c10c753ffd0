#include "io/byte_pair/text_pieces.h"

#include <array>

#include "io/byte_pair/character_kind.h"
#include "io/text/utf8.h"

namespace phasor::io {

namespace {

struct Character {
  CharacterKind kind;
  std::size_t bytes;
};

constexpr std::size_t kAscii = 128;

constexpr std::array<CharacterKind, kAscii> make_ascii_kinds() {
  std::array<CharacterKind, kAscii> kinds{};
  for (std::size_t c = 0; c < kAscii; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    kinds[c] = letter                 ? CharacterKind::Letter
               : c >= '0' && c <= '9' ? CharacterKind::Number
               : space                ? CharacterKind::Space
                                      : CharacterKind::Other;
  }
  return kinds;
}

constexpr std::array<CharacterKind, kAscii> kAsciiKinds = make_ascii_kinds();

Character decode_character(std::string_view text) {
  const Utf8Sequence sequence = first_utf8_sequence(text);
  if (!sequence.whole) return {CharacterKind::Other, sequence.bytes};
  std::size_t at = 0;
  return {kind_of_character(next_code_point(text, at)), sequence.bytes};
}

inline Character character_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < kAscii) [[likely]]
    return {kAsciiKinds[lead], 1};
  return decode_character(text.substr(at));
}

// Bytes of 's, 't, 're, 've, 'm, 'll or 'd at the beginning, or 0.
std::size_t contraction(std::string_view text) {
  if (text.size() < 2) return 0;
  switch (text[1]) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return text.substr(2).starts_with('e') ? 3 : 0;
    case 'l':
      return text.substr(2).starts_with('l') ? 3 : 0;
    default:
      return 0;
  }
}

std::size_t end_of_run(std::string_view text, std::size_t at, CharacterKind kind) {
  while (at < text.size()) {
    const Character next = character_at(text, at);
    if (next.kind != kind) break;
    at += next.bytes;
  }
  return at;
}

// \s+(?!\S)|\s+: before anything but the end of the text, the last space of several is left to what follows.
std::size_t spaces(std::string_view text) {
  std::size_t last = 0, at = 0;
  while (at < text.size()) {
    const Character next = character_at(text, at);
    if (next.kind != CharacterKind::Space) return last > 0 ? last : at;
    last = at;
    at += next.bytes;
  }
  return at;
}

}  // namespace

std::size_t first_piece(std::string_view text) {
  if (text[0] == ' ' && text.size() > 1) {
    const Character second = character_at(text, 1);
    if (second.kind != CharacterKind::Space) return end_of_run(text, 1 + second.bytes, second.kind);
  }
  const Character first = character_at(text, 0);
  if (first.kind == CharacterKind::Space) return spaces(text);
  if (text[0] == '\'') {
    if (const std::size_t bytes = contraction(text); bytes > 0) return bytes;
  }
  return end_of_run(text, first.bytes, first.kind);
}

}  // namespace phasor::io
