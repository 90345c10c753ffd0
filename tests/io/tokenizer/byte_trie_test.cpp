#include "io/tokenizer/byte_trie.h"

#include <gtest/gtest.h>
#include <set>

#include "engine/base/random.h"

namespace phasor::io {
namespace {

// What longest() is meant to find, by trying every key.
ByteTrie::Match longest_by_search(const std::vector<std::string>& keys, std::string_view text) {
  ByteTrie::Match best;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (text.starts_with(keys[i]) && keys[i].size() > best.bytes) best = {static_cast<std::int32_t>(i), keys[i].size()};
  }
  return best;
}

std::string random_text(std::uint32_t index, std::uint32_t letters) {
  const RandomBlock draw = random_block(1, {index, 0, 0, 0});
  std::string text(1 + draw[0] % 6, ' ');
  // From the whole range of bytes, so that the signs of char show.
  for (std::size_t i = 0; i < text.size(); ++i)
    text[i] = static_cast<char>((draw[1] >> 4 * i) % letters * 255 / letters);
  return text;
}

TEST(ByteTrieTest, FindsTheLongestKey) {
  for (const std::uint32_t letters : {2U, 3U, 16U}) {
    std::set<std::string> distinct;
    for (std::uint32_t i = 0; i < 300; ++i) distinct.insert(random_text(i, letters));
    const std::vector<std::string> keys(distinct.begin(), distinct.end());
    const ByteTrie trie(keys);
    for (std::uint32_t i = 0; i < 2000; ++i) {
      const std::string text = random_text(1000 + i, letters) + random_text(5000 + i, letters);
      const ByteTrie::Match found = trie.longest(ByteTrie::kRoot, text);
      const ByteTrie::Match expected = longest_by_search(keys, text);
      ASSERT_EQ(found.key, expected.key);
      ASSERT_EQ(found.bytes, expected.bytes);
    }
  }
}

TEST(ByteTrieTest, NoKeysAndNoText) {
  const ByteTrie empty(std::vector<std::string>{});
  EXPECT_EQ(empty.longest(ByteTrie::kRoot, "abc").bytes, 0U);
  EXPECT_EQ(empty.walk(ByteTrie::kRoot, "a"), ByteTrie::kNowhere);
  EXPECT_EQ(ByteTrie(std::vector<std::string>{"a"}).longest(ByteTrie::kRoot, "").key, -1);
}

TEST(ByteTrieTest, GoesOnWhereAWalkHasLed) {
  const ByteTrie trie(std::vector<std::string>{"##ab", "##a", "ab"});
  const std::int32_t inside = trie.walk(ByteTrie::kRoot, "##");
  EXPECT_EQ(trie.longest(inside, "abc").key, 0);
  EXPECT_EQ(trie.longest(inside, "ac").key, 1);
  EXPECT_EQ(trie.longest(inside, "").bytes, 0U);
  EXPECT_EQ(trie.walk(ByteTrie::kRoot, "#a"), ByteTrie::kNowhere);
}

}  // namespace
}  // namespace phasor::io
