#include "engine/kernels/attention/size_classes.h"

#include <gmock/gmock.h>

namespace phasor::kernels {
namespace {

using testing::ElementsAre;

std::vector<std::int64_t> class_sizes(std::int64_t most_tokens) {
  std::vector<std::int64_t> sizes;
  for_class_sizes(most_tokens, [&](std::int64_t size) { sizes.push_back(size); });
  return sizes;
}

TEST(AttentionClasses, AreMultiplesOfSixteenThenEightADoubling) {
  EXPECT_THAT(class_sizes(0), ElementsAre());
  EXPECT_THAT(class_sizes(1), ElementsAre(16));
  EXPECT_THAT(class_sizes(17), ElementsAre(16, 32));
  EXPECT_THAT(class_sizes(384), ElementsAre(16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256,
                                            288, 320, 352, 384));
  EXPECT_EQ(class_sizes(512).size(), 24u);
  EXPECT_EQ(class_sizes(1000).back(), 1024);
}

TEST(AttentionClasses, HoldTheirTokensAndLittleMore) {
  for (std::int64_t tokens = 1; tokens <= 2100; ++tokens) {
    EXPECT_GE(class_size(tokens), tokens);
    EXPECT_LT(class_size(tokens) - tokens, std::max<double>(16, static_cast<double>(tokens) / 8));
    EXPECT_EQ(class_size(class_size(tokens)), class_size(tokens));
  }
}

TEST(QueryBlocks, CoverAClassAndItsKeys) {
  for_class_sizes(2100, [](std::int64_t size) {
    const QueryBlocks blocks(size, 1 << 16, false);
    EXPECT_GE(blocks.count(size) * blocks.rows, size);
    for (std::int64_t n = 0; n < blocks.count(size); ++n) {
      EXPECT_EQ(blocks.at(n).first, n * blocks.rows);
      EXPECT_EQ(blocks.at(n).rows, blocks.rows);
      EXPECT_EQ(blocks.at(n).keys, size);
    }
  });
}

// They have the keys up to their last query and no others.
TEST(QueryBlocks, EndOnTheDiagonalWhereTheyAreCausal) {
  for_class_sizes(2100, [](std::int64_t size) {
    const QueryBlocks blocks(size, 1 << 16, true);
    std::int64_t end = 0, pairs = 0;
    for (std::int64_t n = 0; n < blocks.count(size); ++n) {
      const QueryBlock block = blocks.at(n);
      EXPECT_EQ(block.first, end);
      EXPECT_EQ(block.keys, block.first + block.rows);
      EXPECT_EQ(block.keys % 16, 0);
      end += block.rows;
      pairs += block.rows * block.keys;
    }
    EXPECT_EQ(end, size);
    EXPECT_EQ(pairs, causal_pairs(size));
  });
}

}  // namespace
}  // namespace phasor::kernels
