#include "io/text/utf8.h"

#include <algorithm>

namespace phasor::io {

namespace {

bool continues(char byte) { return (byte & 0xC0) == 0x80; }

// Bytes of the sequence that starts with `lead`, 0 for a byte that cannot start one.
std::size_t sequence_bytes(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

}  // namespace

Utf8Sequence first_utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = sequence_bytes(byte(0));
  if (bytes <= 1) return {.bytes = 1, .whole = bytes == 1};
  Utf8Sequence found;
  while (found.bytes < std::min(bytes, text.size()) && continues(text[found.bytes])) {
    // The byte behind the first must fit it: overlong forms, surrogates and numbers beyond the last code point stop
    // here.
    const bool second = found.bytes == 1;
    if (second && ((byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xED && byte(1) >= 0xA0))) break;
    if (second && ((byte(0) == 0xF0 && byte(1) < 0x90) || (byte(0) == 0xF4 && byte(1) >= 0x90))) break;
    ++found.bytes;
  }
  found.whole = found.bytes == bytes;
  return found;
}

std::size_t unfinished_utf8_bytes(std::string_view text) {
  constexpr std::size_t kMost = 3;
  for (std::size_t bytes = 1; bytes <= std::min(kMost, text.size()); ++bytes) {
    const std::string_view end = text.substr(text.size() - bytes);
    if (continues(end[0])) continue;
    const Utf8Sequence sequence = first_utf8_sequence(end);
    const bool could_go_on = sequence_bytes(static_cast<unsigned char>(end[0])) > bytes;
    return could_go_on && sequence.bytes == bytes ? bytes : 0;
  }
  return 0;
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t byte = 0;
  while (byte < text.size()) {
    const Utf8Sequence sequence = first_utf8_sequence(text.substr(byte));
    if (!sequence.whole) break;
    byte += sequence.bytes;
  }
  return byte;
}

std::string replace_invalid_utf8(std::string_view text) {
  constexpr char32_t kReplacement = 0xFFFD;
  std::string result;
  while (true) {
    const std::size_t valid = find_invalid_utf8(text);
    result += text.substr(0, valid);
    if (valid == text.size()) return result;
    text.remove_prefix(valid);
    append_utf8(kReplacement, result);
    text.remove_prefix(first_utf8_sequence(text).bytes);
  }
}

std::int64_t count_code_points(std::string_view text) {
  std::int64_t count = 0;
  for (const char byte : text) count += !continues(byte);
  return count;
}

std::size_t byte_of_code_point(std::string_view text, std::int64_t index) {
  std::size_t byte = 0;
  while (byte < text.size()) {
    if (!continues(text[byte]) && index-- == 0) break;
    ++byte;
  }
  return byte;
}

std::string_view slice_code_points(std::string_view text, std::int64_t begin, std::int64_t end) {
  const std::string_view rest = text.substr(byte_of_code_point(text, begin));
  return rest.substr(0, byte_of_code_point(rest, end - begin));
}

void append_utf8(char32_t code_point, std::string& text) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

}  // namespace phasor::io
