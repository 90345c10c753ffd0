#include "io/byte_pair/byte_pair_encoding.h"

#include <gtest/gtest.h>

#include "engine/base/random.h"
#include "io/byte_pair/text_stream.h"
#include "io/files/text_file.h"
#include "io/text/utf8.h"
#include "tests/io/byte_pair/byte_pair_files.h"
#include "tests/support/message.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using Ids = std::vector<std::int32_t>;
using Json = nlohmann::json;

BytePairEncoding golden_encoding() {
  test::TemporaryFolder folder;
  test::write_to(folder.file("merges.txt"), test::golden_merges());
  return BytePairEncoding::load(test::write_to(folder.file("vocab.json"), test::golden_tokens()));
}

Ids encode(const BytePairEncoding& encoding, std::string_view text) {
  Ids ids;
  encoding.encode(text, ids);
  return ids;
}

void expect_equal(const BytePairEncoding& encoding, const Json& expected) {
  const Json& texts = test::byte_pair_goldens()["texts"];
  ASSERT_EQ(texts.size(), expected.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto text = texts[i].get<std::string>();
    const Ids ids = encode(encoding, text);
    Ids with_end_of_text;
    encoding.encode_with_end_of_text(text, with_end_of_text);
    EXPECT_EQ(ids, expected[i]["ids"].get<Ids>()) << "text " << i << ": " << texts[i];
    EXPECT_EQ(with_end_of_text, expected[i]["ids_with_end_of_text"].get<Ids>()) << "text " << i << ": " << texts[i];
    EXPECT_EQ(encoding.decode(ids), text);
    EXPECT_EQ(encoding.decode(with_end_of_text), text);
  }
}

std::string random_bytes(std::uint32_t index) {
  std::string bytes(random_block(5, {index, 0, 0, 0})[0] % 300, ' ');
  for (std::uint32_t i = 0; i < bytes.size(); ++i) {
    const RandomBlock draw = random_block(5, {index, 1, i, 0});
    bytes[i] = static_cast<char>(index % 2 == 0 ? draw[0] : " \nthe'\xC3\xA9\xE2\x80"[draw[0] % 11]);
  }
  return bytes;
}

TEST(BytePairEncodingTest, EqualsTransformersWithAVocabularyOfItsOwn) {
  expect_equal(golden_encoding(), test::byte_pair_goldens()["own"]);
}

TEST(BytePairEncodingTest, EqualsTransformersWithTheVocabularyOfGpt2) {
  PHASOR_NEEDS_DATA("gpt2/encoder.json");
  const auto encoding = BytePairEncoding::load(test::shared_data("gpt2"));
  expect_equal(encoding, test::byte_pair_goldens()["gpt2"]);
  EXPECT_EQ(encoding.vocab_size(), 50257);
  EXPECT_EQ(encoding.end_of_text(), 50256);
  EXPECT_EQ(encode(encoding, "Hello world"), (Ids{15496, 995}));
  EXPECT_EQ(encode(encoding, "日本語"), (Ids{33768, 98, 17312, 105, 45739, 252}));
  EXPECT_EQ(encode(encoding, "<|endoftext|>"), (Ids{27, 91, 437, 1659, 5239, 91, 29}));
}

TEST(BytePairEncodingTest, HasAsManyTokensOfWholeFilesAsOthers) {
  PHASOR_NEEDS_DATA("gpt2/encoder.json");
  PHASOR_NEEDS_DATA("text/tinyshakespeare.txt");
  const auto encoding = BytePairEncoding::load(test::shared_data("gpt2/encoder.json"));
  const std::pair<const char*, std::size_t> files[] = {{"text/tinyshakespeare.txt", 338'025},
                                                       {"text/wikitext-2-valid.txt", 258'657},
                                                       {"text/wikitext-2-test.txt", 295'876}};
  for (const auto& [name, tokens] : files) {
    const std::string text = read_file("test", test::shared_data(name));
    const Ids ids = encode(encoding, text);
    EXPECT_EQ(ids.size(), tokens) << name;
    EXPECT_EQ(encoding.decode(ids), text) << name;
  }
}

TEST(BytePairEncodingTest, AnyBytesComeBack) {
  const BytePairEncoding encoding = golden_encoding();
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::string bytes = random_bytes(i);
    ASSERT_EQ(encoding.decode(encode(encoding, bytes)), bytes) << i;
  }
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(encoding.decode(encode(encoding, all)), all);
}

TEST(BytePairEncodingTest, AppendsToWhatIsThere) {
  const BytePairEncoding encoding = golden_encoding();
  Ids ids = encode(encoding, "the ");
  const Ids first = ids;
  encoding.encode("", ids);
  EXPECT_EQ(ids, first);
  encoding.encode("that", ids);
  EXPECT_GT(ids.size(), first.size());
  EXPECT_EQ(encoding.decode(ids), "the that");
}

TEST(BytePairEncodingTest, WithoutATokenForTheEndOfTextItIsText) {
  test::TemporaryFolder folder;
  Json tokens = test::golden_tokens();
  tokens.erase("<|endoftext|>");
  test::write_to(folder.file("merges.txt"), test::golden_merges());
  const auto encoding = BytePairEncoding::load(test::write_to(folder.file("vocab.json"), tokens));
  EXPECT_EQ(encoding.end_of_text(), -1);
  Ids ids;
  encoding.encode_with_end_of_text("a<|endoftext|>", ids);
  EXPECT_EQ(ids, encode(encoding, "a<|endoftext|>"));
}

TEST(BytePairEncodingTest, ThereIsNoTokenBehindTheLast) {
  const BytePairEncoding encoding = golden_encoding();
  EXPECT_EQ(encoding.bytes(encoding.end_of_text()), "<|endoftext|>");
  for (const std::int32_t id : {-1, 407}) {
    EXPECT_EQ(test::message_of([&] {
                encoding.decode(Ids{0, id});
              }),
              "tokenizer: there is no token " + std::to_string(id) + ", expected 0 to 406");
  }
}

TEST(TextStreamTest, GivesCharactersWhenTheyAreWhole) {
  const BytePairEncoding encoding = golden_encoding();
  TextStream stream(encoding);
  std::string text;
  for (const char byte : std::string("a\xF0\x9F\xA4\x97\xE2\x82!")) {
    const std::string part = stream.add(encode(encoding, std::string(1, byte))[0]);
    text += part.empty() ? "." : "[" + part + "]";
  }
  EXPECT_EQ(text, "[a]...[\xF0\x9F\xA4\x97]..[\xE2\x82!]");
  EXPECT_EQ(stream.finish(), "");
  EXPECT_EQ(stream.add(encode(encoding, "\xC3")[0]), "");
  EXPECT_EQ(stream.finish(), "\xC3");
  EXPECT_EQ(stream.finish(), "");
}

TEST(TextStreamTest, GivesAllThatDecodingGivesAndNoCharacterInParts) {
  const BytePairEncoding encoding = golden_encoding();
  TextStream stream(encoding);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::string bytes = random_bytes(i);
    std::string all, shown;
    const auto take = [&](const std::string& part) {
      all += part;
      shown += replace_invalid_utf8(part);
    };
    for (const std::int32_t id : encode(encoding, bytes)) take(stream.add(id));
    take(stream.finish());
    ASSERT_EQ(all, bytes) << i;
    ASSERT_EQ(shown, replace_invalid_utf8(bytes)) << i;
  }
}

}  // namespace
}  // namespace phasor::io
