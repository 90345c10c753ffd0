#include "io/byte_pair/merging.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>

#include "engine/base/random.h"

namespace phasor::io {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::array<std::int32_t, 256> make_byte_tokens() {
  std::array<std::int32_t, 256> tokens{};
  for (std::int32_t byte = 0; byte < 256; ++byte) tokens[static_cast<std::size_t>(byte)] = byte;
  return tokens;
}
constexpr auto kByteTokens = make_byte_tokens();

// The definition: while neighbours merge, the first ones of the lowest rank do.
Ids merge_by_definition(std::string_view piece, const std::vector<BytePairMerge>& merges) {
  Ids ids;
  for (const char byte : piece) ids.push_back(static_cast<unsigned char>(byte));
  for (std::size_t rank = 0; rank < merges.size();) {
    const auto found = std::ranges::adjacent_find(ids, [&](std::int32_t left, std::int32_t right) {
      return left == merges[rank].left && right == merges[rank].right;
    });
    if (found == ids.end()) {
      ++rank;
      continue;
    }
    *found = merges[rank].result;
    ids.erase(found + 1);
    rank = 0;
  }
  return ids;
}

// Merges of the letters a, b, c in an order that no training gives: parts may come behind what is made of them.
std::vector<BytePairMerge> random_merges(std::uint32_t seed) {
  std::vector<BytePairMerge> merges;
  std::set<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::uint32_t i = 0; i < 24; ++i) {
    const RandomBlock draw = random_block(seed, {i, 0, 0, 0});
    const auto token = [&](std::uint32_t number) {
      const std::uint32_t any = number % (3 + i);
      return static_cast<std::int32_t>(any < 3 ? 'a' + any : 256 + any - 3);
    };
    const auto pair = std::pair(token(draw[0]), token(draw[1]));
    if (pairs.insert(pair).second) merges.push_back({pair.first, pair.second, static_cast<std::int32_t>(256 + i)});
  }
  std::ranges::sort(merges, {}, [&](const BytePairMerge& merge) {
    return random_block(seed, {1, static_cast<std::uint32_t>(merge.result), 0, 0})[0];
  });
  return merges;
}

TEST(MergingTest, BothWaysDoWhatTheDefinitionSays) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    const std::vector<BytePairMerge> merges = random_merges(seed);
    const MergeTable table(merges);
    for (std::uint32_t text = 0; text < 40; ++text) {
      std::string piece;
      const std::uint32_t letters = 1 + text % 3;
      for (std::uint32_t i = 0; i < text * kMostToScan / 39; ++i)
        piece += static_cast<char>('a' + random_block(seed, {2, text, i, 0})[0] % letters);
      const Ids expected = merge_by_definition(piece, merges);
      Ids scanned, heaped, either = {7};
      merge_by_scan(piece, kByteTokens, table, scanned);
      merge_by_heap(piece, kByteTokens, table, heaped);
      merge_piece(piece, kByteTokens, table, either);
      ASSERT_EQ(scanned, expected) << "seed " << seed << " text " << piece;
      ASSERT_EQ(heaped, expected) << "seed " << seed << " text " << piece;
      ASSERT_EQ(either.size(), expected.size() + 1);
    }
  }
}

TEST(MergingTest, WithoutMergesBytesStay) {
  const MergeTable none(std::vector<BytePairMerge>{});
  Ids ids;
  merge_piece("abc", kByteTokens, none, ids);
  merge_piece(std::string(kMostToScan + 1, 'x'), kByteTokens, none, ids);
  EXPECT_EQ(ids.size(), 3 + kMostToScan + 1);
}

// Quadratic time would be minutes.
TEST(MergingTest, ALongPieceTakesItsTimeAndNoMore) {
  const MergeTable table(std::vector<BytePairMerge>{{'a', 'a', 256}, {256, 256, 257}, {257, 257, 258}});
  Ids ids;
  merge_piece(std::string(1 << 20, 'a'), kByteTokens, table, ids);
  EXPECT_EQ(ids, Ids(1 << 17, 258));
}

}  // namespace
}  // namespace phasor::io
