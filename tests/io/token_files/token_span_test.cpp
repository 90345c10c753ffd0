#include "io/token_files/token_span.h"

#include <gtest/gtest.h>

#include "engine/base/parallel.h"
#include "io/token_files/documents.h"
#include "tests/io/token_files/token_bytes.h"

namespace phasor::io {
namespace {

using namespace phasor::test;

template <class T>
TokenSpan span_of(TokenType type, const std::vector<T>& tokens) {
  return TokenSpan(type, std::as_bytes(std::span(tokens)));
}

template <class T>
void expect_copied(TokenType type, const std::vector<T>& tokens) {
  const TokenSpan span = span_of(type, tokens);
  ASSERT_EQ(span.size(), std::ssize(tokens));
  std::vector<std::int32_t> copied(tokens.size() - 1);
  span.subspan(1, span.size() - 1).copy(0, copied);
  for (std::size_t i = 0; i < copied.size(); ++i) EXPECT_EQ(copied[i], static_cast<std::int32_t>(tokens[i + 1]));
  EXPECT_EQ(span.at(1), static_cast<std::int64_t>(tokens[1]));
}

TEST(TokenSpan, AreReadInEveryType) {
  expect_copied<std::uint8_t>(TokenType::u8, {1, 255, 0});
  expect_copied<std::int8_t>(TokenType::i8, {1, 127, 0});
  expect_copied<std::uint16_t>(TokenType::u16, {1, 50256, 65535});
  expect_copied<std::int16_t>(TokenType::i16, {1, 32767, 0});
  expect_copied<std::uint32_t>(TokenType::u32, {1, 128000, 0x7FFFFFFF});
  expect_copied<std::int32_t>(TokenType::i32, {1, 128000, 0x7FFFFFFF});
  expect_copied<std::int64_t>(TokenType::i64, {1, 128000, 0x7FFFFFFF});
}

TEST(TokenSpan, WhatIsOutsideIsOurMistake) {
  const std::vector<std::uint16_t> tokens(4);
  const TokenSpan span = span_of(TokenType::u16, tokens);
  std::vector<std::int32_t> to(3);
  EXPECT_THROW(span.copy(2, to), InternalError);
  EXPECT_THROW((void)span.at(4), InternalError);
  EXPECT_THROW((void)span.subspan(3, 2), InternalError);
  EXPECT_THROW(TokenSpan(TokenType::u16, std::as_bytes(std::span(tokens)).first(3)), InternalError);
  EXPECT_THROW(TokenSpan(TokenType::u16, std::as_bytes(std::span(tokens)).subspan(1, 4)), InternalError);
}

// Of several pieces that threads look at.
TEST(TokenSpan, TheFirstForeignTokenIsFound) {
  std::vector<std::int32_t> tokens((3 << 20) + 5, 49);
  const auto found = [&](std::int64_t vocabulary) {
    return find_foreign_token(span_of(TokenType::i32, tokens), vocabulary);
  };
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    tokens.assign(tokens.size(), 49);
    EXPECT_EQ(found(50), std::ssize(tokens));
    EXPECT_EQ(found(49), 0);
    tokens.back() = 50;
    EXPECT_EQ(found(50), std::ssize(tokens) - 1);
    tokens[(2 << 20) + 1] = -1;
    EXPECT_EQ(found(50), (2 << 20) + 1);
    tokens[2 << 20] = 50;
    EXPECT_EQ(found(50), 2 << 20);
  }
  set_threads(1);
  EXPECT_EQ(find_foreign_token(span_of(TokenType::i8, std::vector<std::int8_t>{0, -128}), 50), 1);
  EXPECT_EQ(find_foreign_token(span_of(TokenType::u32, std::vector<std::uint32_t>{0, 0xFFFFFFFF}), 50), 1);
  EXPECT_EQ(find_foreign_token(TokenSpan(), 50), 0);
}

TEST(DocumentEnds, FollowFromTheTokenBetween) {
  const auto ends = [](const std::vector<std::int32_t>& tokens, EndOfText where, std::int32_t end_of_text = 9) {
    return find_document_ends(span_of(TokenType::i32, tokens), end_of_text, where);
  };
  EXPECT_EQ(ends({1, 9, 2, 3, 9}, EndOfText::after), (Ids{2, 5}));
  EXPECT_EQ(ends({1, 9, 2, 3}, EndOfText::after), (Ids{2, 4}));
  EXPECT_EQ(ends({9, 1, 9, 2, 3}, EndOfText::before), (Ids{2, 5}));
  EXPECT_EQ(ends({1, 9, 2, 3, 9}, EndOfText::before), (Ids{1, 4, 5}));
  EXPECT_EQ(ends({9, 9}, EndOfText::after), (Ids{1, 2}));
  EXPECT_EQ(ends({9, 9}, EndOfText::before), (Ids{1, 2}));
  EXPECT_EQ(ends({1, 9, 2, -1}, EndOfText::after, -1), (Ids{4}));
  EXPECT_EQ(ends({}, EndOfText::after), Ids{});
}

TEST(DocumentEnds, OfManyPiecesOnAnyNumberOfThreads) {
  std::vector<std::uint16_t> tokens((5 << 20) + 3, 1);
  Ids expected;
  for (std::size_t i = 1; i < tokens.size(); i += 77777) {
    tokens[i] = 50256;
    expected.push_back(static_cast<std::int64_t>(i) + 1);
  }
  expected.push_back(std::ssize(tokens));
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    EXPECT_EQ(find_document_ends(span_of(TokenType::u16, tokens), 50256, EndOfText::after), expected);
  }
  set_threads(1);
}

}  // namespace
}  // namespace phasor::io
