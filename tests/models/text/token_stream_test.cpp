#include "models/text/token_stream.h"

#include <gtest/gtest.h>

#include "engine/base/parallel.h"
#include "tests/models/text/small_streams.h"
#include "tests/support/message.h"

namespace phasor::text {
namespace {

using namespace phasor::test;
using Tokens = std::vector<std::int32_t>;

TokenStream three_files() {
  TokenStream stream;
  stream.add(tokens_of<std::uint16_t>(io::TokenType::u16, {0, 1, 2}, {2, 3}));
  stream.add(tokens_of<std::uint8_t>(io::TokenType::u8, {3}, {1}));
  stream.add(tokens_of<std::int64_t>(io::TokenType::i64, {4, 5, 6, 7}, {3, 4}));
  return stream;
}

TEST(TokenStream, FilesFollowEachOther) {
  const TokenStream stream = three_files();
  EXPECT_EQ(stream.size(), 8);
  EXPECT_EQ(ends_of(stream), (Ids{2, 3, 4, 7, 8}));
  for (std::int64_t first = 0; first < 8; ++first) {
    for (std::int64_t end = first; end <= 8; ++end) {
      Tokens read(static_cast<std::size_t>(end - first)), expected = read;
      std::iota(expected.begin(), expected.end(), static_cast<std::int32_t>(first));
      stream.copy(first, read);
      EXPECT_EQ(read, expected);
    }
  }
  Tokens tokens(3);
  EXPECT_THROW(stream.copy(6, tokens), InternalError);
}

TEST(TokenStream, EveryPartIsAStream) {
  const TokenStream stream = three_files();
  for (std::int64_t first = 0; first < 8; ++first) {
    for (std::int64_t end = first + 1; end <= 8; ++end) {
      const TokenStream part = stream.part(first, end);
      Tokens expected(static_cast<std::size_t>(end - first));
      std::iota(expected.begin(), expected.end(), static_cast<std::int32_t>(first));
      EXPECT_EQ(all_tokens(part), expected);
      Ids ends;
      for (const std::int64_t border : {2, 3, 4, 7})
        if (border > first && border < end) ends.push_back(border - first);
      ends.push_back(end - first);
      EXPECT_EQ(ends_of(part), ends) << first << " to " << end;
    }
  }
  EXPECT_EQ(all_tokens(stream.part(1, 7).part(2, 5)), (Tokens{3, 4, 5}));
  EXPECT_EQ(ends_of(stream.part(1, 7).part(2, 5)), (Ids{1, 3}));
}

// llm.c's shards: a document may begin in one and end in another, through a third.
TEST(TokenStream, DocumentsGoOnInTheNextShard) {
  const auto shard = [](const Ids& ids, const Ids& ends, bool continues) {
    io::TokenFile file = tokens_of<std::uint16_t>(io::TokenType::u16, ids, ends);
    file.shard = true;
    file.continues = continues;
    return file;
  };
  TokenStream stream;
  stream.add(shard({9, 1, 2}, {3}, false));
  stream.add(shard({3, 4}, {2}, true));
  stream.add(shard({5, 9, 6}, {1, 3}, true));
  stream.add(shard({9, 7}, {2}, false));
  EXPECT_EQ(ends_of(stream), (Ids{6, 8, 10}));
  // The first of all may be one that is not the first of its data; and other files end with a document.
  TokenStream other;
  other.add(shard({3, 4}, {2}, true));
  other.add(tokens_of<std::uint16_t>(io::TokenType::u16, {1}, {1}));
  other.add(shard({3, 4}, {2}, true));
  EXPECT_EQ(ends_of(other), (Ids{2, 3, 5}));
}

TEST(TokenStream, ForeignTokensAreNamed) {
  const TokenStream stream = three_files();
  EXPECT_EQ(message_of([&] { stream.check_vocabulary(8); }), "no error");
  EXPECT_EQ(message_of([&] { stream.check_vocabulary(6); }),
            "text: token 2 of 'made.bin' is 6, but model.vocab_size is 6");
  EXPECT_EQ(message_of([&] { stream.part(5, 8).check_vocabulary(6); }),
            "text: token 2 of 'made.bin' is 6, but model.vocab_size is 6");
  EXPECT_EQ(message_of([&] { stream.part(1, 6).check_vocabulary(6); }), "no error");
}

TEST(TokenStream, TheSumFollowsFromTheTokensAlone) {
  EXPECT_EQ(three_files().sum(), counted({8}).sum());
  EXPECT_EQ(three_files().sum().size(), 32U);
  EXPECT_NE(counted({8}).sum(), counted({9}).sum());
  EXPECT_NE(counted({9}).part(1, 9).sum(), counted({8}).sum());
  const TokenStream large = counted({1 << 19, 12345});
  const std::string alone = large.sum();
  for (const int count : {2, 3}) {
    set_threads(count);
    EXPECT_EQ(large.sum(), alone);
  }
  set_threads(1);
}

}  // namespace
}  // namespace phasor::text
