#include "models/transformers/bert_tokenizer.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::transformers {
namespace {

std::string settings_of(const std::vector<std::string>& tokens, std::int64_t max_positions) {
  return bert_tokenizer_files({.tokens = tokens, .merges = {}}, max_positions)[1].text;
}

TEST(BertTokenizer, PrefersVocabTxt) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(find_bert_vocabulary(folder.path()), "");
  std::ofstream(folder.file("tokenizer.json")) << "{}";
  EXPECT_EQ(find_bert_vocabulary(folder.path()), folder.file("tokenizer.json"));
  std::ofstream(folder.file("vocab.txt")) << "[PAD]\n";
  EXPECT_EQ(find_bert_vocabulary(folder.path()), folder.file("vocab.txt"));
}

TEST(BertTokenizer, RefusesOtherTokenizers) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("tokenizer_config.json");
  const auto error_of = [&](const std::string& text) {
    std::ofstream(path) << text;
    return test::message_of([&] { find_bert_vocabulary(folder.path()); });
  };
  EXPECT_EQ(error_of(settings_of({"[PAD]"}, 512)), "no error");
  EXPECT_EQ(error_of("{}"), "no error");
  for (const char* key : {"do_lower_case", "strip_accents", "tokenize_chinese_chars"}) {
    EXPECT_EQ(error_of(nlohmann::json{{key, false}}.dump()), "transformers: '" + path + "' has " + key +
                                                                 " false, expected true: Phasor's tokenizer is that of "
                                                                 "uncased BERT");
  }
  EXPECT_EQ(error_of("3"), "transformers: '" + path + "' holds a whole number, expected an object");
}

TEST(BertTokenizer, NamesTheMaskOnlyWhereTheVocabularyHasIt) {
  EXPECT_TRUE(nlohmann::json::parse(settings_of({"[PAD]"}, 61))["mask_token"].is_null());
  const auto document = nlohmann::json::parse(settings_of({"[PAD]", "[MASK]"}, 61));
  EXPECT_EQ(document["mask_token"], "[MASK]");
  EXPECT_EQ(document["model_max_length"], 61);
}

TEST(BertTokenizer, WritesATokenALine) {
  const std::vector<TextFile> files = bert_tokenizer_files({.tokens = {"a", "é"}, .merges = {}}, 512);
  EXPECT_EQ(files[0].name, "vocab.txt");
  EXPECT_EQ(files[0].text, "a\né\n");
  EXPECT_EQ(files[1].name, "tokenizer_config.json");
}

}  // namespace
}  // namespace phasor::transformers
