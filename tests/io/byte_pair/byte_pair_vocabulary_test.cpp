#include "io/byte_pair/byte_pair_vocabulary.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "io/byte_pair/byte_characters.h"
#include "io/byte_pair/byte_pair_encoding.h"
#include "tests/io/byte_pair/byte_pair_files.h"
#include "tests/support/message.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using Json = nlohmann::json;

std::string error_of(const std::string& path) {
  return test::message_of([&] { read_byte_pair_vocabulary(path); });
}

TEST(ByteCharactersTest, EveryByteHasACharacterOfItsOwn) {
  const std::pair<int, std::string> known[] = {{'!', "!"},       {'~', "~"},       {0xA1, "¡"},     {0xFF, "ÿ"},
                                               {0, "\u0100"},    {'\t', "ĉ"},      {'\n', "Ċ"},     {' ', "Ġ"},
                                               {0x7F, "\u0121"}, {0xA0, "\u0142"}, {0xAD, "\u0143"}};
  for (const auto& [byte, character] : known) EXPECT_EQ(byte_character(static_cast<unsigned char>(byte)), character);
  for (int byte = 0; byte < 256; ++byte) {
    const std::string bytes(1, static_cast<char>(byte));
    EXPECT_EQ(bytes_of_characters(byte_character(static_cast<unsigned char>(byte))), bytes);
  }
  EXPECT_EQ(bytes_of_characters("ĠaÃ©"), " a\xC3\xA9");
  for (const char* name : {" ", "\u00AD", "\u0144", "中"}) EXPECT_EQ(bytes_of_characters(name), std::nullopt);
}

// The two files, into which a test puts its fault.
class VocabularyAndMergesTest : public testing::Test {
 protected:
  std::string error_with(const Json& tokens) {
    test::write_to(merges_, test::golden_merges());
    return error_of(test::write_to(path_, tokens));
  }
  std::string error_with(const std::string& token, const Json& id) {
    Json tokens = test::golden_tokens();
    tokens[token] = id;
    return error_with(tokens);
  }
  std::string error_with_merges(const std::string& lines) {
    test::write_to(path_, test::golden_tokens());
    test::write_to(merges_, lines);
    return error_of(path_);
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("vocab.json"), merges_ = folder_.file("merges.txt");
  std::string subject_ = "vocab: '" + path_ + "' ", merge_subject_ = "vocab: '" + merges_ + "' ";
};

TEST_F(VocabularyAndMergesTest, SaysWhatIsWrongWithTokens) {
  EXPECT_EQ(error_of(path_), subject_ + "does not exist");
  EXPECT_EQ(error_with(test::golden_tokens()), "no error");
  EXPECT_EQ(error_with(Json::array()), subject_ + "holds a list, expected an object of tokens and their ids");
  EXPECT_EQ(error_with(Json::object()), subject_ + "has no token 'Ā', for byte 0. Is this a byte-level vocabulary?");
  EXPECT_EQ(error_with("the", 407), subject_ + "gives token 'the' the id 407, expected one below 407, their number");
  for (const Json& id : {Json(-1), Json(1.5), Json("1"), Json(nullptr), Json(1ull << 32)}) {
    EXPECT_EQ(error_with("the", id),
              subject_ + "gives token 'the' the id " + id.dump() + ", expected one below 407, their number");
  }
  EXPECT_EQ(error_with("the", 0), subject_ + "gives id 0 to two tokens, one of them 'the'");
  EXPECT_EQ(error_with("", 407), subject_ + "has a token of id 407 that is empty");
  EXPECT_EQ(
      error_with("a b", 407),
      subject_ + "has the token 'a b', with a character that stands for no byte. Is this a byte-level vocabulary?");
  Json tokens = test::golden_tokens();
  tokens.erase("Ġ");
  tokens["ĠĠĠ"] = test::golden_tokens()["Ġ"];
  EXPECT_EQ(error_with(tokens), subject_ + "has no token 'Ġ', for byte 32. Is this a byte-level vocabulary?");
  test::write_to(path_, "");
  EXPECT_EQ(error_of(path_), subject_ + "is empty, expected a vocab.json JSON file");
  test::write_to(path_, "{\"a\":1,\n");
  EXPECT_EQ(error_of(path_),
            subject_ + "ends inside a JSON value at line 2, column 1 (byte 8). Was it copied to its end?");
}

TEST_F(VocabularyAndMergesTest, OfATokenThatStandsThereTwiceTheLastIdCounts) {
  const std::string tokens = test::golden_tokens().dump();
  test::write_to(merges_, "");
  test::write_to(path_, "{\"zz\":9,\"zz\":407," + tokens.substr(1));
  EXPECT_EQ(error_of(path_), "no error");
  test::write_to(path_, "{\"zz\":407,\"zz\":408," + tokens.substr(1));
  EXPECT_EQ(error_of(path_), subject_ + "gives token 'zz' the id 408, expected one below 408, their number");
}

TEST_F(VocabularyAndMergesTest, SaysWhatIsWrongWithMerges) {
  test::write_to(path_, test::golden_tokens());
  EXPECT_EQ(error_of(path_), merge_subject_ + "does not exist");
  EXPECT_EQ(error_with_merges(""), "no error");
  EXPECT_EQ(error_with_merges("#version: 0.2\n# #\n"),
            merge_subject_ + "line 2 makes '##', which is no token of '" + path_ + "'");
  for (const std::string line : {"", "t", "t ", " h", "t h e", "t  h"}) {
    EXPECT_EQ(error_with_merges("#version: 0.2\nt h\n" + line + "\nh e\n"),
              merge_subject_ + "line 3 is '" + line + "', expected two tokens with a blank between them");
  }
  EXPECT_EQ(error_with_merges("t h\r\nzzz e"),
            merge_subject_ + "line 2 merges 'zzz', which is no token of '" + path_ + "'");
  EXPECT_EQ(error_with_merges("t h\nh z"), merge_subject_ + "line 2 makes 'hz', which is no token of '" + path_ + "'");
  EXPECT_EQ(error_with_merges("#version\nt h\nt h\n"), merge_subject_ + "line 3 repeats the merge 't h' of line 2");
  EXPECT_EQ(error_with_merges("t h\n\xFF e"), merge_subject_ + "is not valid UTF-8 at byte 4");
}

// A tokenizer.json as Transformers writes it, into which a test puts its fault.
class BytePairJsonTest : public testing::Test {
 protected:
  std::string error_with(const std::string& place, const Json& value) {
    Json document = test::golden_tokenizer();
    document[Json::json_pointer(place)] = value;
    return error_of(test::write_to(path_, document));
  }
  void expect_refused(const std::string& place, const Json& value, const std::string& field, const std::string& known) {
    EXPECT_EQ(error_with(place, value),
              subject_ + "has " + field + " " + value.dump() + ", this tokenizer knows " + known + " only");
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("tokenizer.json");
  std::string subject_ = "vocab: '" + path_ + "' ";
};

TEST_F(BytePairJsonTest, RefusesWhatWouldGiveOtherIds) {
  expect_refused("/model/type", "WordPiece", "model.type", "\"BPE\"");
  expect_refused("/model/dropout", 0.1, "model.dropout", "0");
  expect_refused("/model/continuing_subword_prefix", "##", "model.continuing_subword_prefix", "\"\"");
  expect_refused("/model/end_of_word_suffix", "</w>", "model.end_of_word_suffix", "\"\"");
  expect_refused("/model/byte_fallback", true, "model.byte_fallback", "false");
  expect_refused("/model/ignore_merges", true, "model.ignore_merges", "false");
  expect_refused("/normalizer", {{"type", "NFC"}}, "normalizer", "null");
  expect_refused("/pre_tokenizer/type", "Metaspace", "pre_tokenizer.type", "\"ByteLevel\"");
  expect_refused("/pre_tokenizer/type", nullptr, "pre_tokenizer.type", "\"ByteLevel\"");
  expect_refused("/pre_tokenizer/add_prefix_space", true, "pre_tokenizer.add_prefix_space", "false");
  expect_refused("/pre_tokenizer/use_regex", false, "pre_tokenizer.use_regex", "true");
  expect_refused("/decoder/type", "WordPiece", "decoder.type", "\"ByteLevel\"");
  const std::string template_refused =
      subject_ +
      "has a post_processor \"TemplateProcessing\" that may add tokens, this tokenizer knows \"ByteLevel\" only";
  EXPECT_EQ(error_with("/post_processor/single/0", {{"SpecialToken", {{"id", "<s>"}}}}), template_refused);
  EXPECT_EQ(error_with("/post_processor/single/1", {{"SpecialToken", {{"id", "<s>"}}}}), template_refused);
  EXPECT_EQ(
      error_with("/added_tokens/0/special", false),
      subject_ + "has the added token '<|endoftext|>', which is not special, this tokenizer knows special ones only");
}

TEST_F(BytePairJsonTest, TakesWhatGivesTheSame) {
  EXPECT_EQ(error_with("/model/unk_token", "<|endoftext|>"), "no error");  // nothing is unknown
  EXPECT_EQ(error_with("/model/dropout", 0.0), "no error");
  EXPECT_EQ(error_with("/model/continuing_subword_prefix", nullptr), "no error");
  EXPECT_EQ(error_with("/post_processor", {{"type", "ByteLevel"}}), "no error");
  EXPECT_EQ(error_with("/post_processor", nullptr), "no error");
  EXPECT_EQ(error_with("/added_tokens", nullptr), "no error");
}

TEST_F(BytePairJsonTest, SaysWhatIsWrong) {
  EXPECT_EQ(error_with("/model/vocab", Json::array()),
            subject_ + "has a list for model.vocab, expected an object. Is it of a byte-level tokenizer?");
  EXPECT_EQ(error_with("/model/merges", "t h"), subject_ + "has a string for model.merges, expected a list");
  EXPECT_EQ(error_with("/model/merges/2", 1), subject_ + "merge 3 is 1, expected two tokens");
  EXPECT_EQ(error_with("/model/merges/2", {"a", "b", "c"}),
            subject_ + "merge 3 is [\"a\",\"b\",\"c\"], expected two tokens");
  EXPECT_EQ(error_with("/model/merges/2", {"a", 1}), subject_ + "merge 3 is [\"a\",1], expected two tokens");
  EXPECT_EQ(error_with("/model/merges/2", "ab"),
            subject_ + "merge 3 is 'ab', expected two tokens with a blank between them");
  EXPECT_EQ(error_with("/model/merges/2", {"z", "zzz"}),
            subject_ + "merge 3 merges 'zzz', which is no token of '" + path_ + "'");
  EXPECT_EQ(error_with("/added_tokens", 1), subject_ + "has a whole number for added_tokens, expected a list");
  EXPECT_EQ(error_with("/added_tokens/0/content", 1),
            subject_ + "has a whole number for the content of an added token, expected a string");
  EXPECT_EQ(error_with("/added_tokens/0/id", 407), subject_ + "gives token '<|endoftext|>' the ids 407 and 406");
  EXPECT_EQ(error_with("/added_tokens/0/content", "<s>"),
            subject_ + "gives id 406 to two tokens, one of them '<|endoftext|>'");
  EXPECT_EQ(error_with("/model/vocab/the", 407),
            subject_ + "has no token of id " + test::golden_tokens()["the"].dump() + ", though larger ones");
  EXPECT_EQ(error_with("/model/vocab/the", 999),
            subject_ + "gives token 'the' the id 999, expected one below 408, their number");
}

TEST_F(BytePairJsonTest, AddedTokensAreTheTextThatTheyAreWrittenAs) {
  ASSERT_EQ(error_with("/added_tokens/1", {{"id", 407}, {"content", "<ä b>"}, {"special", true}}), "no error");
  const BytePairVocabulary vocabulary = read_byte_pair_vocabulary(path_);
  ASSERT_EQ(vocabulary.tokens.size(), 408U);
  EXPECT_EQ(vocabulary.tokens[407], "<ä b>");
}

// In the order in which they are looked for, last first.
TEST(BytePairFilesTest, AllFilesOfAVocabularyGiveTheSame) {
  test::TemporaryFolder folder;
  EXPECT_EQ(error_of(folder.path()), "vocab: '" + folder.path() +
                                         "' has no tokenizer.json, no vocab.json and no "
                                         "encoder.json. Is it the folder of a GPT-2?");
  Json in_lines = test::golden_tokenizer();
  for (Json& merge : in_lines["model"]["merges"])
    merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
  const std::string encoder = test::write_to(folder.file("encoder.json"), test::golden_tokens());
  test::write_to(folder.file("vocab.bpe"), test::golden_merges());
  const auto encoding = BytePairEncoding::load(folder.path());
  const std::string vocab = test::write_to(folder.file("vocab.json"), test::golden_tokens());
  EXPECT_EQ(error_of(folder.path()), "vocab: '" + folder.file("merges.txt") + "' does not exist");
  test::write_to(folder.file("merges.txt"), test::golden_merges());
  const std::string lines = test::write_to(folder.file("of_lines.json"), in_lines);
  test::write_to(folder.file("tokenizer.json"), test::golden_tokenizer());
  for (const std::string& path : {folder.path(), encoder, vocab, lines, folder.file("tokenizer.json")}) {
    const auto same = BytePairEncoding::load(path);
    EXPECT_EQ(same.fingerprint(), encoding.fingerprint()) << path;
    EXPECT_EQ(same.vocab_size(), encoding.vocab_size()) << path;
  }
  EXPECT_EQ(encoding.fingerprint().size(), 32U);
  EXPECT_EQ(encoding.fingerprint().find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(BytePairFilesTest, TheFingerprintTellsVocabulariesApart) {
  test::TemporaryFolder folder;
  const std::string path = folder.file("tokenizer.json");
  const auto fingerprint_of = [&](const Json& document) {
    return BytePairEncoding::load(test::write_to(path, document)).fingerprint();
  };
  const Json document = test::golden_tokenizer();
  std::set<std::string> all = {fingerprint_of(document)};
  Json merges = document;
  std::swap(merges["model"]["merges"][0], merges["model"]["merges"][1]);
  Json fewer = document;
  fewer["model"]["merges"].erase(149);
  Json more = document;
  more["model"]["vocab"]["zzzz"] = 407;
  Json swapped = document;
  std::swap(swapped["model"]["vocab"]["a"], swapped["model"]["vocab"]["b"]);
  for (const Json& other : {merges, fewer, more, swapped}) all.insert(fingerprint_of(other));
  EXPECT_EQ(all.size(), 5U);
}

}  // namespace
}  // namespace phasor::io
