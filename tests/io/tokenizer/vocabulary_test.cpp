#include "io/tokenizer/vocabulary.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

class VocabularyTest : public testing::Test {
 protected:
  std::string error_of(const std::string& content) {
    std::ofstream(path_, std::ios::binary) << content;
    return test::message_of([&] { read_vocabulary(path_); });
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("vocab.txt");
  std::string subject_ = "vocab: '" + path_ + "' ";
};

TEST_F(VocabularyTest, OneTokenALineWithOrWithoutCarriageReturns) {
  const std::vector<std::string> expected = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "é"};
  for (const std::string end : {"\n", "\r\n"}) {
    std::ofstream(path_, std::ios::binary) << "[PAD]" + end + "[UNK]" + end + "[CLS]" + end + "[SEP]" + end + "é";
    EXPECT_EQ(read_vocabulary(path_), expected);
  }
}

TEST_F(VocabularyTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(test::message_of([&] { read_vocabulary(path_); }), subject_ + "does not exist");
  EXPECT_EQ(test::message_of([&] { read_vocabulary(folder_.path()); }),
            "vocab: '" + folder_.path() + "' is a folder, expected a file");
  EXPECT_EQ(error_of(""), subject_ + "is empty, expected one token a line");
  EXPECT_EQ(error_of("[PAD]\n[UNK]\n\n[CLS]\n"), subject_ + "line 3 is empty, expected a token");
  EXPECT_EQ(error_of("[PAD]\nab\xFFz\n"), subject_ + "line 2 is not valid UTF-8 at byte 2. Is this a vocab.txt?");
  EXPECT_EQ(error_of("[PAD]\na\nb\na\n"), subject_ + "line 4 repeats the token 'a' of line 2");
  EXPECT_EQ(error_of("[PAD]\n[UNK]\n[CLS]\na\n"), subject_ + "has 4 tokens but not [SEP]. Is this a BERT vocabulary?");
}

// A tokenizer.json of a few tokens, into which a test puts its fault.
class TokenizerJsonTest : public testing::Test {
 protected:
  std::string error_of(const nlohmann::json& document) {
    std::ofstream(path_) << document;
    return test::message_of([&] { read_vocabulary(path_); });
  }
  std::string error_with(const std::string& place, const nlohmann::json& value) {
    nlohmann::json document = document_;
    document[nlohmann::json::json_pointer(place)] = value;
    return error_of(document);
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("tokenizer.json");
  std::string subject_ = "vocab: '" + path_ + "' ";
  nlohmann::json document_ = {
      {"added_tokens", {{{"id", 0}, {"content", "[PAD]"}}, {{"id", 5}, {"content", "[extra]"}}}},
      {"normalizer", {{"type", "BertNormalizer"}, {"lowercase", true}, {"strip_accents", nullptr}}},
      {"model",
       {{"type", "WordPiece"}, {"vocab", {{"[SEP]", 3}, {"[CLS]", 2}, {"[PAD]", 0}, {"[UNK]", 1}, {"é", 4}}}}}};
};

TEST_F(TokenizerJsonTest, GivesTheVocabularyAndWhatWasAddedById) {
  EXPECT_EQ(error_of(document_), "no error");
  EXPECT_EQ(read_vocabulary(path_), (std::vector<std::string>{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "é", "[extra]"}));
}

TEST_F(TokenizerJsonTest, RefusesWhatIsTooDeepToBeLookedAt) {
  const auto error_at_depth = [&](std::size_t depth) {
    std::ofstream(path_) << R"({"model":{"vocab":{"\\\"[a":)" << std::string(depth, '[') << std::string(depth, ']')
                         << "}}}";
    return test::message_of([&] { read_vocabulary(path_); });
  };
  EXPECT_EQ(
      error_at_depth(253),
      subject_ +
          "gives token '\\\"[a' the id [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…, expected one below 1, their number");
  for (const std::size_t depth : {254, 500'000}) {
    EXPECT_EQ(error_at_depth(depth), subject_ + "has lists and objects " + std::to_string(depth + 3) +
                                         " deep inside each other, expected at most 256");
  }
}

TEST_F(TokenizerJsonTest, SaysWhatIsWrong) {
  EXPECT_EQ(error_with("/model/vocab/é", 6), subject_ + "has no token of id 4, though larger ones");
  EXPECT_EQ(error_with("/model/vocab/é", 3), subject_ + "gives id 3 to '[SEP]' and 'é'");
  EXPECT_EQ(error_with("/model/vocab/é", 700),
            subject_ + "gives token 'é' the id 700, expected one below 7, their number");
  EXPECT_EQ(error_with("/model/vocab/é", -1),
            subject_ + "gives token 'é' the id -1, expected one below 7, their number");
  EXPECT_EQ(error_with("/added_tokens/0/id", 1), subject_ + "gives token '[PAD]' the ids 0 and 1");
  EXPECT_EQ(error_with("/added_tokens/1/content", 1),
            subject_ + "has a whole number for the content of an added token, expected a string");
  EXPECT_EQ(error_with("/added_tokens/1/content", "a\nb"),
            subject_ + "has a token of id 5 that is empty or has a line break");
  EXPECT_EQ(error_with("/added_tokens", 1), subject_ + "has a whole number for added_tokens, expected a list");
  EXPECT_EQ(error_with("/model/vocab", nlohmann::json::array()),
            subject_ + "has a list for model.vocab, expected an object. Is it of a WordPiece tokenizer?");
  EXPECT_EQ(error_with("/model/type", "BPE"),
            subject_ + "has model.type \"BPE\", this tokenizer knows \"WordPiece\" only");
  EXPECT_EQ(error_with("/normalizer/lowercase", false),
            subject_ + "has normalizer.lowercase false, this tokenizer knows true only");
  EXPECT_EQ(error_of(nlohmann::json::array()),
            subject_ + "has null for model.vocab, expected an object. Is it of a WordPiece tokenizer?");
}

}  // namespace
}  // namespace phasor::io
