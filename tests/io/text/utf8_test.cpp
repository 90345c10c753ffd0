#include "io/text/utf8.h"

#include <gtest/gtest.h>

namespace phasor::io {
namespace {

TEST(Utf8Test, FindsTheFirstByteThatIsNotUtf8) {
  const std::string valid = "aé中😀";
  EXPECT_EQ(find_invalid_utf8(""), 0U);
  EXPECT_EQ(find_invalid_utf8(valid), valid.size());
  const std::string bad[] = {"\x80",
                             "\xC3",
                             "\xC0\x80",
                             "\xE0\x80\x80",
                             "\xED\xA0\x80",
                             "\xED\xBF\xBF",
                             "\xF4\x90\x80\x80",
                             "\xF0\x80\x80\x80",
                             "\xF5\x80\x80\x80",
                             "\xE4\xB8",
                             "\xC3(",
                             "\xFF"};
  for (const std::string& bytes : bad) EXPECT_EQ(find_invalid_utf8(valid + bytes + "a"), valid.size()) << bytes;
}

// Expected: bytes.decode("utf-8", "replace") in Python.
TEST(Utf8Test, WhatIsNotUtf8IsReplaced) {
  const std::string r = "\xEF\xBF\xBD";
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"aé中😀", "aé中😀"},
      {"a\x80z", "a" + r + "z"},
      {"\xC3", r},
      {"\xC3(", r + "("},
      {"\xE4\xB8", r},
      {"\xE4\xB8z", r + "z"},
      {"\xF0\x9F\x98é", r + "é"},
      {"\xF0\x9F\x98\xE4\xB8中", r + r + "中"},
      {"\xC0\x80", r + r},
      {"\xE0\x80\x80", r + r + r},
      {"\xED\xA0\x80z", r + r + r + "z"},
      {"\xED\x9F", r},
      {"\xF0\x80\x80\x80", r + r + r + r},
      {"\xF4\x90\x80\x80", r + r + r + r},
      {"\xF5\x80\xFF", r + r + r},
  };
  for (const auto& [bytes, expected] : cases) EXPECT_EQ(replace_invalid_utf8(bytes), expected) << expected;
}

TEST(Utf8Test, CountsTheBytesOfACharacterThatIsNotFinished) {
  const std::pair<std::string, std::size_t> cases[] = {{"", 0},
                                                       {"a", 0},
                                                       {"é", 0},
                                                       {"a\xC3", 1},
                                                       {"\xE4", 1},
                                                       {"a\xE4\xB8", 2},
                                                       {"中", 0},
                                                       {"\xF0\x9F\x98", 3},
                                                       {"😀", 0},
                                                       {"\x80", 0},
                                                       {"a\x80\x80\x80", 0},
                                                       {"\xC3(", 0},
                                                       {"\xC0", 0},
                                                       {"\xE0\x80", 0},
                                                       {"\xED\xA0", 0},
                                                       {"\xED\x9F", 2},
                                                       {"\xF4\x90", 0},
                                                       {"\xF5", 0},
                                                       {"\xF0\x80\x80", 0},
                                                       {"é\x80", 0}};
  for (const auto& [text, bytes] : cases) EXPECT_EQ(unfinished_utf8_bytes(text), bytes) << text;
}

TEST(Utf8Test, EveryCodePointSurvives) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    std::string text;
    append_utf8(c, text);
    std::size_t byte = 0;
    ASSERT_EQ(find_invalid_utf8(text), text.size()) << std::uint32_t{c};
    ASSERT_EQ(next_code_point(text, byte), c);
    ASSERT_EQ(byte, text.size());
  }
}

TEST(Utf8Test, CountsAndCutsByCodePoint) {
  const std::string text = "aé中😀b";
  EXPECT_EQ(count_code_points(text), 5);
  EXPECT_EQ(byte_of_code_point(text, 3), 6U);
  EXPECT_EQ(byte_of_code_point(text, 5), text.size());
  EXPECT_EQ(byte_of_code_point(text, 99), text.size());
  EXPECT_EQ(slice_code_points(text, 1, 4), "é中😀");
  EXPECT_EQ(slice_code_points(text, 2, 2), "");
  EXPECT_EQ(slice_code_points(text, 4, 9), "b");
}

}  // namespace
}  // namespace phasor::io
