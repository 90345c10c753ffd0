#include "io/tokenizer/wordpiece.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/shared_data.h"

namespace phasor::io {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> kVocabulary = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "un",  "##aff", "##able",
                                              "the",   "a",     "##a",   "e",     "##e", "中",    "😀"};

const Json& goldens() {
  static const Json json = Json::parse(std::ifstream(PHASOR_SOURCE_DIR "/tests/io/tokenizer/tokenizer_goldens.json"));
  return json;
}

void expect_equal(const WordPiece& wordpiece, const Json& expected) {
  const Json& texts = goldens()["texts"];
  ASSERT_EQ(texts.size(), expected.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Tokens tokens = wordpiece.encode(texts[i].get<std::string>());
    EXPECT_EQ(tokens.ids, expected[i]["ids"].get<std::vector<std::int32_t>>()) << "text " << i << ": " << texts[i];
    EXPECT_EQ(tokens.begins, expected[i]["begins"].get<std::vector<std::int32_t>>())
        << "text " << i << ": " << texts[i];
    EXPECT_EQ(tokens.ends, expected[i]["ends"].get<std::vector<std::int32_t>>()) << "text " << i << ": " << texts[i];
  }
}

TEST(WordPieceTest, EqualsTransformersWithAVocabularyOfItsOwn) {
  expect_equal(WordPiece(goldens()["vocabulary"].get<std::vector<std::string>>()), goldens()["own"]);
}

TEST(WordPieceTest, EqualsTransformersWithTheVocabularyOfBert) {
  PHASOR_NEEDS_DATA("bert-base-uncased/vocab.txt");
  expect_equal(WordPiece::load(test::shared_data("bert-base-uncased/vocab.txt")), goldens()["bert_base_uncased"]);
}

TEST(WordPieceTest, TakesTheLongestPieceFromTheLeft) {
  const Tokens tokens = WordPiece(kVocabulary).encode("Unaffable, the");
  EXPECT_EQ(tokens.ids, (std::vector<std::int32_t>{4, 5, 6, 1, 7}));
  EXPECT_EQ(tokens.begins, (std::vector<std::int32_t>{0, 2, 5, 9, 11}));
  EXPECT_EQ(tokens.ends, (std::vector<std::int32_t>{2, 5, 9, 10, 14}));
}

TEST(WordPieceTest, AWordNotCoveredIsOneUnknownToken) {
  // "unaff" + "x": the pieces found so far are given back.
  const Tokens tokens = WordPiece(kVocabulary).encode("unaffx un");
  EXPECT_EQ(tokens.ids, (std::vector<std::int32_t>{1, 4}));
  EXPECT_EQ(tokens.begins, (std::vector<std::int32_t>{0, 7}));
  EXPECT_EQ(tokens.ends, (std::vector<std::int32_t>{6, 9}));
}

TEST(WordPieceTest, OffsetsCountCodePoints) {
  const Tokens tokens = WordPiece(kVocabulary).encode("😀中é the");
  EXPECT_EQ(tokens.ids, (std::vector<std::int32_t>{13, 12, 10, 7}));
  EXPECT_EQ(tokens.begins, (std::vector<std::int32_t>{0, 1, 2, 4}));
  EXPECT_EQ(tokens.ends, (std::vector<std::int32_t>{1, 2, 3, 7}));
}

TEST(WordPieceTest, SpecialTokensInTextAreText) {
  EXPECT_EQ(WordPiece(kVocabulary).encode("[SEP]").ids, (std::vector<std::int32_t>{1, 1, 1}));
}

TEST(WordPieceTest, AVocabularyWithoutInnerPieces) {
  const WordPiece wordpiece({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "a"});
  EXPECT_EQ(wordpiece.encode("a aa").ids, (std::vector<std::int32_t>{4, 1}));
}

TEST(WordPieceTest, AppendsToWhatIsThere) {
  const WordPiece wordpiece(kVocabulary);
  Tokens tokens;
  Words words;
  wordpiece.encode("unaffx", tokens, words);
  wordpiece.encode("the zz", tokens, words);
  EXPECT_EQ(tokens.ids, (std::vector<std::int32_t>{1, 7, 1}));
}

}  // namespace
}  // namespace phasor::io
