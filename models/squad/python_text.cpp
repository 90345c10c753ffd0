#include "models/squad/python_text.h"

#include <algorithm>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "io/text/utf8.h"

namespace phasor::squad {

namespace {

// \w of re: str.isalnum() or an underscore.
bool is_word(char32_t c) {
  constexpr std::uint32_t kLettersAndNumbers = U_GC_L_MASK | U_GC_N_MASK;
  return c == '_' || (U_GET_GC_MASK(static_cast<UChar32>(c)) & kLettersAndNumbers) != 0;
}

// str.isspace()
bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// Calls piece(text, is it of `kind`) for the longest stretches of code points that are or are not of `kind`.
template <class Kind, class Piece>
void for_each_stretch(std::string_view text, Kind kind, Piece piece) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = begin;
    const bool of_kind = kind(io::next_code_point(text, end));
    for (std::size_t next = end; end < text.size(); end = next) {
      if (kind(io::next_code_point(text, next)) != of_kind) break;
    }
    piece(text.substr(begin, end - begin), of_kind);
    begin = end;
  }
}

}  // namespace

std::string python_lower(std::string_view text) {
  std::string lower(text);
  const auto is_ascii = [](char byte) { return static_cast<unsigned char>(byte) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) {
    for (char& byte : lower) byte = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
    return lower;
  }
  lower.clear();
  const auto bytes = static_cast<std::int32_t>(text.size());
  icu::UnicodeString::fromUTF8({text.data(), bytes}).toLower(icu::Locale::getRoot()).toUTF8String(lower);
  return lower;
}

std::string python_replace_articles(std::string_view text) {
  std::string result;
  for_each_stretch(text, is_word, [&](std::string_view stretch, bool) {
    const bool article = stretch == "a" || stretch == "an" || stretch == "the";
    result += article ? " " : stretch;
  });
  return result;
}

std::string python_join_words(std::string_view text) {
  std::string result;
  for_each_stretch(text, is_space, [&](std::string_view stretch, bool space) {
    if (space) return;
    if (!result.empty()) result += ' ';
    result += stretch;
  });
  return result;
}

}  // namespace phasor::squad
