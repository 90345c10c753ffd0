#include "models/text/text_pieces.h"

#include <gtest/gtest.h>

#include "engine/base/random.h"
#include "tests/models/text/small_encoders.h"
#include "tests/models/text/text_files.h"
#include "tests/support/temporary_folder.h"

namespace phasor::text {
namespace {

using namespace phasor::test;

class TextPieces : public testing::Test {
 protected:
  // Pieces between bars; behind a document's last, two.
  std::string cut(const std::string& content, std::size_t bytes, const std::string& name = "a.txt") {
    const TextFile file = text_file(folder_.file(name), content);
    std::string pieces;
    for (const TextPiece& piece : cut_text(file, bytes))
      pieces += std::string(piece.text) + (piece.ends_document ? "||" : "|");
    return pieces;
  }
  TemporaryFolder folder_;
};

TEST_F(TextPieces, AreCutBeforeABlankThatFollowsAVisibleCharacter) {
  EXPECT_EQ(cut("to be  or\nnot to be", 3), "to be|  or|\nnot| to| be||");
  EXPECT_EQ(cut("abc   d e", 4), "abc   d| e||");
  EXPECT_EQ(cut("a\tb\rc d", 1), "a\tb\rc| d||");
  EXPECT_EQ(cut("abcdefgh", 2), "abcdefgh||");
  EXPECT_EQ(cut("to be", 5), "to be||");
}

// A letter of two bytes and one of three, then blanks: U+00A0, U+2003, U+3000, and one byte of a character.
TEST_F(TextPieces, BlanksOfSeveralBytesAreNoVisibleCharacters) {
  EXPECT_EQ(cut("aé b", 1), "aé| b||");
  EXPECT_EQ(cut("日本 b", 1), "日本| b||");
  EXPECT_EQ(cut("🤗 b", 1), "🤗| b||");
  for (const std::string blank : {"\u00a0", "\u2003", "\u3000", "\u1680", "\u0085", "\xbf", "\x7f", "\t"})
    EXPECT_EQ(cut("a" + blank + " b c", 1), "a" + blank + " b| c||");
}

TEST_F(TextPieces, DocumentsKeepTheirBytesAndBlankOnesAreLeftOut) {
  EXPECT_EQ(cut("one\n<|endoftext|>\n two <|endoftext|>", 100), "one\n||\n two ||");
  EXPECT_EQ(cut("<|endoftext|>\n<|endoftext|> \r\n\t<|endoftext|>one<|endoftext|", 100), "one<|endoftext|||");
  EXPECT_EQ(cut(" \n", 100), "");
  EXPECT_EQ(cut("", 100), "");
  EXPECT_EQ(cut("one two<|endoftext|>three four", 2), "one| two||three| four||");
}

TEST_F(TextPieces, LinesStayWhole) {
  EXPECT_EQ(cut("{1}\n{22}\n{3}\n\n{4}", 1, "a.jsonl"), "{1}|{22}|{3}||{4}|");
  EXPECT_EQ(cut("{1}\n{22}\n{3}\n\n{4}\n", 5, "a.jsonl"), "{1}\n{22}|{3}\n|{4}|");
  EXPECT_EQ(cut("{1} <|endoftext|>\n", 100, "a.jsonl"), "{1} <|endoftext|>|");
}

// Wherever a text is cut, its pieces have the tokens of the whole.
TEST_F(TextPieces, HaveTheTokensOfTheWhole) {
  const WordEncoder encoder;
  constexpr std::string_view kCharacters = "ab c  .\n\n\t'é";
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::string content;
    for (std::uint32_t i = 0; i < 300; ++i) content += kCharacters[random_block(seed, {i, 0, 0, 0})[0] % 13];
    std::vector<std::int32_t> whole;
    encoder.encode(content, whole);
    const TextFile file = text_file(folder_.file("a.txt"), content);
    for (const std::size_t bytes : {1, 2, 7, 100}) {
      std::vector<std::int32_t> parts;
      const std::vector<TextPiece> pieces = cut_text(file, bytes);
      for (const TextPiece& piece : pieces) encoder.encode(piece.text, parts);
      EXPECT_EQ(parts, whole) << seed << " in pieces of " << bytes;
      EXPECT_TRUE(bytes > 7 || pieces.size() > 5) << pieces.size();
    }
  }
}

}  // namespace
}  // namespace phasor::text
