#include "models/text/load_text.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "models/text/samples.h"
#include "tests/models/text/small_encoders.h"
#include "tests/models/text/small_streams.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::text {
namespace {

using namespace phasor::test;

class Notes : public io::Listener {
 public:
  void note(const std::string& text) override { notes.push_back(text); }
  std::vector<std::string> notes;
};

class LoadText : public testing::Test {
 protected:
  LoadText() {
    put("a.txt", "ab<|endoftext|>c");
    put("b.jsonl", "{\"text\": \"d\"}\n{\"text\": \"e\"}\n");
    put("c.bin", llm_c_bytes({256, 1, 2, 256, 3}));
    put("d.bin", numbers_as<std::uint16_t>(Ids{4, 5, 256, 6}));
    put("e.bin", numbers_as<std::int32_t>(Ids{7, 8, 256}));
    put("e.idx", megatron_index(4, 4, {3}, {0, 1}));
  }
  std::string at(const std::string& name) const { return folder_.file(name); }
  void put(const std::string& name, const std::string& bytes) { write_bytes(at(name), bytes); }
  TokenStream load(const std::string& list) { return load_text(list, reading_, notes_); }
  std::string refusal(const std::string& list) {
    return message_of([&] { load(list); });
  }

  TemporaryFolder folder_;
  ByteEncoder encoder_;
  TextReading reading_{.encoder = &encoder_, .end_of_text = 256, .cache = at("cache")};
  Notes notes_;
};

TEST_F(LoadText, FilesOfAllKindsInTheirOrder) {
  const std::string list = at("*.txt") + "," + at("b.jsonl") + "," + at("?.bin");
  const TokenStream stream = load(list);
  EXPECT_EQ(all_tokens(stream), (std::vector<std::int32_t>{'a', 'b', 256, 'c', 256, 'd', 256, 'e', 256, 256, 1,
                                                           2,   256, 3,   4,   5,   256, 6,   7,   8,   256}));
  EXPECT_EQ(ends_of(stream), (Ids{3, 5, 7, 9, 12, 14, 17, 18, 21}));
  load(list);
  EXPECT_EQ(notes_.notes, (std::vector<std::string>{list + ": 21 tokens of 9 documents",
                                                    list + ": 21 tokens of 9 documents, from the cache"}));
  // One file for the texts, which are neighbours.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(at("cache")), std::filesystem::directory_iterator()), 1);
}

TEST_F(LoadText, TextBehindTokensIsAnEntryOfItsOwn) {
  const TokenStream stream = load(at("a.txt") + "," + at("d.bin") + "," + at("b.jsonl"));
  EXPECT_EQ(all_tokens(stream), (std::vector<std::int32_t>{'a', 'b', 256, 'c', 256, 4, 5, 256, 6, 'd', 256, 'e', 256}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(at("cache")), std::filesystem::directory_iterator()), 2);
}

// The samples of a text are the same from memory, from a file that was just made and from the cache.
TEST_F(LoadText, TheCacheDoesNotShow) {
  const auto fingerprint = [&] { return TextSamples(load(at("a.txt")), {.sequence = 2}).fingerprint(); };
  const std::string made = fingerprint();
  EXPECT_EQ(fingerprint(), made);
  reading_.cache = "";
  EXPECT_EQ(fingerprint(), made);
}

TEST_F(LoadText, TokensNeedNoTokenizer) {
  reading_.encoder = nullptr;
  EXPECT_EQ(load(at("d.bin")).size(), 4);
  EXPECT_EQ(refusal(at("a.txt")),
            "text: '" + at("a.txt") + "' is text, which needs a tokenizer. data.vocab is missing");
}

TEST_F(LoadText, MistakesEndInOneLine) {
  put("none.txt", " \n");
  put("b.md", "text");
  EXPECT_EQ(refusal(at("none.txt")), "text: '" + at("none.txt") + "' has no text");
  EXPECT_EQ(refusal(at("*.tsv")), "text: no file matches '" + at("*.tsv") + "'");
  EXPECT_EQ(refusal(at("b.md")), "text: '" + at("b.md") + "' ends in none of .txt, .jsonl (text) and .bin (tokens)");
  EXPECT_EQ(refusal(at("e.idx")),
            "text: '" + at("e.idx") + "' is the index of a file of tokens. Name the .bin beside it");
  std::filesystem::create_directory(at("f.txt"));
  EXPECT_EQ(refusal(at("f.txt")), "text: '" + at("f.txt") + "' is a folder, expected a file");
  put("b.jsonl", "{\"text\": 7}");
  EXPECT_EQ(refusal(at("b.jsonl")),
            "text: '" + at("b.jsonl") + "' line 1 has a whole number as text, expected a string");
}

}  // namespace
}  // namespace phasor::text
