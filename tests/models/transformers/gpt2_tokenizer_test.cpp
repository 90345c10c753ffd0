#include "models/transformers/gpt2_tokenizer.h"

#include <fstream>
#include <gtest/gtest.h>

#include "io/byte_pair/byte_pair_encoding.h"
#include "io/files/text_file.h"
#include "tests/io/byte_pair/byte_pair_files.h"
#include "tests/support/message.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace phasor::transformers {
namespace {

using nlohmann::json;

void write_files(const test::TemporaryFolder& folder, const Vocabulary& vocabulary) {
  for (const TextFile& file : gpt2_tokenizer_files(vocabulary, 61)) test::write_to(folder.file(file.name), file.text);
}

std::string fingerprint(const std::string& path) { return io::BytePairEncoding::load(path).fingerprint(); }

TEST(Gpt2Tokenizer, PrefersTokenizerJson) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(find_gpt2_vocabulary(folder.path()), "");
  std::ofstream(folder.file("vocab.json")) << "{}";
  EXPECT_EQ(find_gpt2_vocabulary(folder.path()), folder.file("vocab.json"));
  std::ofstream(folder.file("tokenizer.json")) << "{}";
  EXPECT_EQ(find_gpt2_vocabulary(folder.path()), folder.file("tokenizer.json"));
}

TEST(Gpt2Tokenizer, RefusesTokenizersThatAddToAText) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("tokenizer_config.json");
  const auto error_of = [&](const std::string& text) {
    test::write_to(path, text);
    return test::message_of([&] { find_gpt2_vocabulary(folder.path()); });
  };
  EXPECT_EQ(error_of("{}"), "no error");
  EXPECT_EQ(error_of(R"({"add_prefix_space": false, "add_bos_token": null})"), "no error");
  for (const char* key : {"add_prefix_space", "add_bos_token", "add_eos_token"}) {
    EXPECT_EQ(error_of(json{{key, true}}.dump()), "transformers: '" + path + "' has " + key +
                                                      " true, expected false: Phasor's tokenizer adds nothing to a "
                                                      "text");
  }
}

TEST(Gpt2Tokenizer, AVocabularyGoesOutAndComesBack) {
  const test::TemporaryFolder source, target, again;
  const std::string path = test::write_to(source.file("tokenizer.json"), test::golden_tokenizer());
  write_files(target, read_gpt2_vocabulary(path));
  EXPECT_EQ(find_gpt2_vocabulary(target.path()), target.file("vocab.json"));
  EXPECT_EQ(fingerprint(target.file("vocab.json")), fingerprint(path));
  EXPECT_EQ(json::parse(io::read_file("test", target.file("vocab.json"))), test::golden_tokens());
  EXPECT_EQ(io::read_file("test", target.file("merges.txt")), test::golden_merges());
  write_files(again, read_gpt2_vocabulary(target.file("vocab.json")));
  for (const char* name : {"vocab.json", "merges.txt", "tokenizer_config.json"}) {
    EXPECT_EQ(io::read_file("test", again.file(name)), io::read_file("test", target.file(name))) << name;
  }
}

TEST(Gpt2Tokenizer, WritesTheFilesOfGpt2ByteForByte) {
  PHASOR_NEEDS_DATA("gpt2/encoder.json");
  const std::string folder = test::shared_data("gpt2");
  const std::vector<TextFile> files = gpt2_tokenizer_files(read_gpt2_vocabulary(folder), 1024);
  EXPECT_TRUE(files[0].text == io::read_file("test", folder + "/encoder.json"));
  EXPECT_TRUE(files[1].text == io::read_file("test", folder + "/vocab.bpe"));
}

TEST(Gpt2Tokenizer, NamesTheEndOfATextWhereTheVocabularyHasIt) {
  const auto settings = [](const Vocabulary& vocabulary) {
    return json::parse(gpt2_tokenizer_files(vocabulary, 61).back().text);
  };
  const json with = settings({.tokens = {"a", "<|endoftext|>"}, .merges = {}});
  EXPECT_EQ(with["tokenizer_class"], "GPT2Tokenizer");
  EXPECT_EQ(with["model_max_length"], 61);
  for (const char* key : {"bos_token", "eos_token", "unk_token"}) {
    EXPECT_EQ(with[key], "<|endoftext|>");
    EXPECT_TRUE(settings({.tokens = {"a"}, .merges = {}}).at(key).is_null());
  }
  EXPECT_TRUE(gpt2_tokenizer_files({}, 61).empty());
}

TEST(Gpt2Tokenizer, RefusesTwoTokensOfTheSameName) {
  EXPECT_EQ(test::message_of([] {
              gpt2_tokenizer_files({.tokens = {"a", "b", "a"}, .merges = {}}, 61);
            }),
            "transformers: the vocabulary has 'a' for the ids 0 and 2, vocab.json has one for a token");
}

}  // namespace
}  // namespace phasor::transformers
