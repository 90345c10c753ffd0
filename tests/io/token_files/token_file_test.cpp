#include "io/token_files/token_file.h"

#include <gtest/gtest.h>

#include "tests/io/token_files/token_bytes.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using namespace phasor::test;

constexpr std::int32_t kEnd = 50256;

class TokenFiles : public testing::Test {
 protected:
  std::string bin(const std::string& bytes) { return write_bytes(path_, bytes); }
  void idx(const std::string& bytes) { write_bytes(index_, bytes); }
  std::string refusal() const {
    return message_of([&] { open_token_file(path_, kEnd); });
  }
  static Ids ids_of(const TokenFile& file) {
    Ids ids;
    for (std::int64_t i = 0; i < file.tokens.size(); ++i) ids.push_back(file.tokens.at(i));
    return ids;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("train.bin"), index_ = folder_.file("train.idx");
};

TEST_F(TokenFiles, OfNanoGpt) {
  const Ids tokens = {11, 12, kEnd, 13, 14};
  const TokenFile file = open_token_file(bin(numbers_as<std::uint16_t>(tokens)), kEnd);
  EXPECT_EQ(ids_of(file), tokens);
  EXPECT_EQ(file.document_ends, (Ids{3, 5}));
  EXPECT_FALSE(file.continues || file.shard);
  EXPECT_EQ(open_token_file(path_, -1).document_ends, (Ids{5}));
}

TEST_F(TokenFiles, OfLlmC) {
  const Ids tokens = {kEnd, 12, 11, kEnd, 14};
  for (const bool wide : {false, true}) {
    const TokenFile file =
        open_token_file(bin(wide ? llm_c_bytes<std::uint32_t>(20240801, 7, tokens) : llm_c_bytes(tokens)), kEnd);
    EXPECT_EQ(ids_of(file), tokens);
    EXPECT_EQ(file.tokens.type(), wide ? TokenType::u32 : TokenType::u16);
    EXPECT_EQ(file.document_ends, (Ids{3, 5}));
    EXPECT_TRUE(file.shard);
    EXPECT_FALSE(file.continues);
  }
  const TokenFile shard = open_token_file(bin(llm_c_bytes({12, 11, kEnd, 14})), kEnd);
  EXPECT_EQ(shard.document_ends, (Ids{2, 4}));
  EXPECT_TRUE(shard.continues);
}

TEST_F(TokenFiles, OfMegatronInEveryType) {
  const Ids tokens = {1, 2, 3, 4, 5, 6};
  const auto expect_read = [&](int code, int bytes, const std::string& content, TokenType type) {
    bin(content);
    idx(megatron_index(code, bytes, {1, 0, 2, 3}, {0, 1, 1, 2, 4}));
    const TokenFile file = open_token_file(path_, kEnd);
    EXPECT_EQ(ids_of(file), tokens) << code;
    EXPECT_EQ(file.tokens.type(), type) << code;
    EXPECT_EQ(file.document_ends, (Ids{1, 6})) << code;  // two without tokens are left out
  };
  expect_read(1, 1, numbers_as<std::uint8_t>(tokens), TokenType::u8);
  expect_read(2, 1, numbers_as<std::int8_t>(tokens), TokenType::i8);
  expect_read(3, 2, numbers_as<std::int16_t>(tokens), TokenType::i16);
  expect_read(4, 4, numbers_as<std::int32_t>(tokens), TokenType::i32);
  expect_read(5, 8, numbers_as<std::int64_t>(tokens), TokenType::i64);
  expect_read(8, 2, numbers_as<std::uint16_t>(tokens), TokenType::u16);
  // Modes, a byte a sequence.
  idx(megatron_index(8, 2, {1, 0, 2, 3}, {0, 1, 1, 2, 4}) + std::string(4, '\1'));
  EXPECT_EQ(open_token_file(path_, kEnd).tokens.size(), 6);
}

TEST_F(TokenFiles, MistakesOfAnyFormat) {
  EXPECT_EQ(refusal(), "tokens: '" + path_ + "' does not exist");
  bin("");
  EXPECT_EQ(refusal(), "tokens: '" + path_ + "' has no tokens");
  bin("123");
  EXPECT_EQ(refusal(), "tokens: '" + path_ + "' has 3 bytes, an odd number, and neither llm.c's header nor an index '" +
                           index_ + "': expected tokens of 16 bits");
}

TEST_F(TokenFiles, MistakesOfLlmC) {
  const std::string whole = llm_c_bytes({1, 2, 3});
  const std::string begin = "tokens: '" + path_ + "' ";
  bin(whole.substr(0, whole.size() - 1));
  EXPECT_EQ(refusal(), begin + "has 5 bytes behind llm.c's header, expected 6 for 3 tokens. Is it all of the file?");
  bin(whole + "x");
  EXPECT_EQ(refusal(),
            begin + "has 7 bytes behind llm.c's header, expected 6 for 3 tokens. Was something added to it?");
  bin(whole.substr(0, 1022));
  EXPECT_EQ(refusal(), begin + "ends within llm.c's header, after 1022 of 1024 bytes");
  bin(llm_c_bytes<std::uint16_t>(20240520, 2, {1}));
  EXPECT_EQ(refusal(), begin + "is of llm.c (20240520) in version 2, expected 1");
  bin(llm_c_bytes<std::uint32_t>(20240801, 1, {1}));
  EXPECT_EQ(refusal(), begin + "is of llm.c (20240801) in version 1, expected 7");
  bin(llm_c_bytes<std::uint16_t>(20240326, 3, {1}));
  EXPECT_EQ(refusal(), begin + "is a model of llm.c (20240326), expected tokens");
  bin(llm_c_bytes({}));
  EXPECT_EQ(refusal(), begin + "has no tokens");
}

TEST_F(TokenFiles, MistakesOfMegatron) {
  const std::string begin = "tokens: '" + index_ + "' ";
  const auto refusal_of = [&](const std::string& bytes) {
    idx(bytes);
    return refusal();
  };
  const auto with = [](std::string bytes, std::size_t at, const std::string& other) {
    return bytes.replace(at, other.size(), other);
  };
  bin(numbers_as<std::uint16_t>(Ids{1, 2, 3}));
  const std::string whole = megatron_index(8, 2, {1, 2}, {0, 1, 2});
  EXPECT_EQ(refusal_of(whole), "no error");
  EXPECT_EQ(refusal_of("TNTIDX\0\0"), begin + "does not begin with MMIDIDX. Is it an index of Megatron?");
  EXPECT_EQ(refusal_of(whole.substr(0, 33)), begin + "ends within its header. Is it all of the file?");
  EXPECT_EQ(refusal_of(with(whole, 9, "\2")), begin + "is an index of version 2, expected 1");
  EXPECT_EQ(refusal_of(with(whole, 17, "\6")),
            begin + "is of elements of type 6, expected whole numbers (1 to 5, or 8)");
  EXPECT_EQ(refusal_of(with(whole, 17, "\xff")),
            begin + "is of elements of type 255, expected whole numbers (1 to 5, or 8)");
  EXPECT_EQ(refusal_of(whole.substr(0, whole.size() - 1)),
            begin + "has 47 bytes behind its header, which counts 2 sequences and 3 documents. Is it all of the file?");
  EXPECT_EQ(refusal_of(whole + "x"),
            begin + "has 49 bytes behind its header, which counts 2 sequences and 3 documents. Is it all of the file?");
  const std::string all_bits(8, '\xff');
  EXPECT_EQ(refusal_of(with(whole, 18, all_bits)),
            begin +
                "has 48 bytes behind its header, which counts 18446744073709551615 sequences and 3 documents. Is it "
                "all of the file?");
  EXPECT_EQ(refusal_of(megatron_index(8, 2, {1, 2}, {0, 1, 1})),
            begin + "has the last document end at sequence 1 of 2");
  EXPECT_EQ(refusal_of(megatron_index(8, 2, {1, 2}, {1, 2})),
            begin + "has document 0 begin at sequence 1, expected 0 to 0");
  EXPECT_EQ(refusal_of(megatron_index(8, 2, {1, 2}, {0, 2, 1})),
            begin + "has document 2 begin at sequence 1, expected 2 to 2");
  EXPECT_EQ(refusal_of(megatron_index(8, 2, {1, 2}, {0, 3})),
            begin + "has document 1 begin at sequence 3, expected 0 to 2");
  EXPECT_EQ(refusal_of(megatron_index(8, 2, {1, -2}, {0, 2})), begin + "has sequence 1 of -2 tokens");
  EXPECT_EQ(refusal_of(with(whole, 34 + 8 + 8, "\4")),
            begin + "has sequence 1 at byte 4, expected 2, where the one before ends");
  EXPECT_EQ(refusal_of(megatron_index(8, 2, {1, 3}, {0, 2})),
            "tokens: '" + path_ + "' has 6 bytes, expected 8 for the 4 tokens of '" + index_ + "'");
}

}  // namespace
}  // namespace phasor::io
