#include "io/byte_pair/text_pieces.h"

#include <gtest/gtest.h>
#include <vector>

#include "engine/base/random.h"
#include "io/text/utf8.h"

namespace phasor::io {
namespace {

using Pieces = std::vector<std::string>;

Pieces pieces_of(std::string_view text) {
  Pieces pieces;
  while (!text.empty()) {
    pieces.emplace_back(text.substr(0, first_piece(text)));
    text.remove_prefix(pieces.back().size());
  }
  return pieces;
}

TEST(TextPiecesTest, ABlankGoesWithWhatFollows) {
  EXPECT_EQ(pieces_of("Hello world, 42 times!"), (Pieces{"Hello", " world", ",", " 42", " times", "!"}));
  EXPECT_EQ(pieces_of("a1_b  c"), (Pieces{"a", "1", "_", "b", " ", " c"}));
  EXPECT_EQ(pieces_of(" é½ ²!"), (Pieces{" é", "½", " ²", "!"}));
  EXPECT_EQ(pieces_of("x e\u0301 \u0301"), (Pieces{"x", " e", "\u0301", " \u0301"}));
}

TEST(TextPiecesTest, TheLastSpaceIsLeftToWhatFollows) {
  EXPECT_EQ(pieces_of("a   b"), (Pieces{"a", "  ", " b"}));
  EXPECT_EQ(pieces_of("a \n b"), (Pieces{"a", " \n", " b"}));
  EXPECT_EQ(pieces_of("x\n\ny"), (Pieces{"x", "\n", "\n", "y"}));
  EXPECT_EQ(pieces_of("x\ny \n"), (Pieces{"x", "\n", "y", " \n"}));
  EXPECT_EQ(pieces_of("a\t\u3000\u00A0b"), (Pieces{"a", "\t\u3000", "\u00A0", "b"}));
  EXPECT_EQ(pieces_of("\u200B \x1C"), (Pieces{"\u200B", " \x1C"}));  // neither is a space
  EXPECT_EQ(pieces_of("   "), (Pieces{"   "}));
  EXPECT_EQ(pieces_of(" "), (Pieces{" "}));
}

TEST(TextPiecesTest, ContractionsAreInLowerCaseAndAscii) {
  EXPECT_EQ(pieces_of("it's IT'S don’t"), (Pieces{"it", "'s", " IT", "'", "S", " don", "’", "t"}));
  EXPECT_EQ(pieces_of("'re've'm'll'd't"), (Pieces{"'re", "'ve", "'m", "'ll", "'d", "'t"}));
  EXPECT_EQ(pieces_of("'r 'v 'l '"), (Pieces{"'", "r", " '", "v", " '", "l", " '"}));
  EXPECT_EQ(pieces_of("''s a 's"), (Pieces{"''", "s", " a", " '", "s"}));
}

TEST(TextPiecesTest, CharactersAreThoseOfUnicode16WhateverIcuKnows) {
  EXPECT_EQ(pieces_of("a\u1C89a"), (Pieces{"a\u1C89a"}));                  // a letter of 16.0
  EXPECT_EQ(pieces_of("1\U000116D01"), (Pieces{"1\U000116D01"}));          // a digit
  EXPECT_EQ(pieces_of("a\U0002EBF0\U0002EE5Db").size(), 1U);               // ideographs of 15.1
  EXPECT_EQ(pieces_of("a\U00011389\U0001138A").size(), 2U);                // no character yet
  EXPECT_EQ(pieces_of("a\U000323B0b"), (Pieces{"a", "\U000323B0", "b"}));  // an ideograph of 17.0
}

TEST(TextPiecesTest, WhatIsNotUtf8IsCutAsIfItWereReplaced) {
  EXPECT_EQ(pieces_of("a\xFF\xE2\x82 b\xC3"), (Pieces{"a", "\xFF\xE2\x82", " b", "\xC3"}));
  constexpr std::string_view kBytes[] = {" ", "\n", "a", "1", "'", "s", "\xC3", "\xA9", "\xE2", "\x82", "\xF0", "\xED"};
  for (std::uint32_t text = 0; text < 5000; ++text) {
    std::string bytes;
    for (std::uint32_t i = 0; i < 12; ++i) bytes += kBytes[random_block(3, {text, i, 0, 0})[0] % std::size(kBytes)];
    Pieces replaced = pieces_of(bytes);
    for (std::string& piece : replaced) piece = replace_invalid_utf8(piece);
    ASSERT_EQ(replaced, pieces_of(replace_invalid_utf8(bytes))) << text;
  }
}

}  // namespace
}  // namespace phasor::io
