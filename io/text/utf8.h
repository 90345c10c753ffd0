// UTF-8 by code point. Characters are counted as Python counts them: one for each code point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace phasor::io {

// The byte at which `text` stops being UTF-8 (overlong forms and surrogates are not), or text.size() if it is valid.
std::size_t find_invalid_utf8(std::string_view text);

// `text` with U+FFFD in place of what is not UTF-8: one for a sequence that is cut short, else one for each byte, as in
// Python.
std::string replace_invalid_utf8(std::string_view text);

// What a text that may be anything begins with.
struct Utf8Sequence {
  std::size_t bytes =
      1;               // of the character, or of the beginning of one that is cut short; 1 for a byte that begins none
  bool whole = false;  // it is a character
};

// `text` is not empty.
Utf8Sequence first_utf8_sequence(std::string_view text);

// How many bytes at the end of `text` begin a character that bytes behind it could complete: 0 to 3.
std::size_t unfinished_utf8_bytes(std::string_view text);

// The functions below require valid UTF-8.

std::int64_t count_code_points(std::string_view text);

// Byte position of the code point `index`, at most text.size().
std::size_t byte_of_code_point(std::string_view text, std::int64_t index);

// Code points [begin, end) of `text`, a view into it.
std::string_view slice_code_points(std::string_view text, std::int64_t begin, std::int64_t end);

// Decodes the code point at `byte` and moves `byte` behind it.
inline char32_t next_code_point(std::string_view text, std::size_t& byte) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[byte + i]); };
  const auto low = [&](std::size_t i) { return static_cast<char32_t>(at(i) & 0x3F); };
  const char32_t lead = at(0);
  std::size_t bytes = 1;
  char32_t code_point = lead;
  if (lead >= 0xF0) {
    code_point = (lead & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3);
    bytes = 4;
  } else if (lead >= 0xE0) {
    code_point = (lead & 0x0F) << 12 | low(1) << 6 | low(2);
    bytes = 3;
  } else if (lead >= 0xC0) {
    code_point = (lead & 0x1F) << 6 | low(1);
    bytes = 2;
  }
  byte += bytes;
  return code_point;
}

// Appends `code_point` to `text`.
void append_utf8(char32_t code_point, std::string& text);

}  // namespace phasor::io
