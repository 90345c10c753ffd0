// What BERT's uncased tokenizer makes of one character: dropped, white space, a word of its own, or part of a word.
#pragma once

#include <array>
#include <cstdint>

namespace phasor::io {

enum class BertCharacter : std::uint8_t { Dropped, Space, Punctuation, Text };

// The kind of an ASCII character; letters are lower-cased by ascii_lower.
BertCharacter classify_ascii(unsigned char byte);
constexpr char ascii_lower(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte; }

// A character after canonical decomposition, without accents and in lower case: up to kMaxParts code points, of
// Space, Punctuation or Text each. No parts: it is dropped.
struct BertParts {
  static constexpr int kMaxParts = 4;

  std::array<char32_t, kMaxParts> code_points{};
  std::array<BertCharacter, kMaxParts> kinds{};
  int count = 0;
  bool ideograph = false;  // stands alone even between letters
};

BertParts normalize_character(char32_t code_point);

}  // namespace phasor::io
