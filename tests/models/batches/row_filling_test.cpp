#include "models/batches/row_filling.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "engine/base/random.h"

namespace phasor::run {
namespace {

using Numbers = std::vector<std::int64_t>;

// Tokens of each row.
Numbers filled(const Numbers& lengths, const Numbers& rows) {
  Numbers tokens(static_cast<std::size_t>(std::ranges::max(rows) + 1), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) tokens[static_cast<std::size_t>(rows[i])] += lengths[i];
  return tokens;
}

// The largest sum of some of the lengths up to `room`, by trying all.
std::int64_t largest_of_all(std::span<const std::int64_t> lengths, std::int64_t room) {
  std::int64_t largest = 0;
  for (std::uint32_t chosen = 0; chosen < 1u << lengths.size(); ++chosen) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) sum += (chosen >> i & 1) != 0 ? lengths[i] : 0;
    if (sum <= room) largest = std::max(largest, sum);
  }
  return largest;
}

Numbers drawn(std::uint64_t seed, std::uint32_t count, std::uint32_t longest) {
  Numbers lengths;
  for (std::uint32_t i = 0; i < count; ++i) lengths.push_back(1 + random_block(seed, {i, 0, 0, 0})[0] % longest);
  std::ranges::sort(lengths, std::greater{});
  return lengths;
}

TEST(RowFilling, TakesWhatFillsTheRow) {
  const Numbers lengths{6, 5, 3, 2, 2, 2};
  EXPECT_EQ(fill_each(lengths, {.tokens = 10, .samples = 9}), (Numbers{0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(filled(lengths, fit_best(lengths, {.tokens = 10, .samples = 9})), (Numbers{9, 9, 2}));
}

TEST(RowFilling, FillsEachRowAsFarAsAnySamplesDo) {
  constexpr std::int64_t kTokens = 40;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Numbers lengths = drawn(seed, 9, 30);
    const Numbers rows = fill_each(lengths, {.tokens = kTokens, .samples = 99}), tokens = filled(lengths, rows);
    Numbers left = lengths;
    for (std::size_t row = 0; row < tokens.size(); ++row) {
      const std::int64_t longest = left.front();
      EXPECT_EQ(tokens[row], longest + largest_of_all(std::span(left).subspan(1), kTokens - longest)) << seed;
      left.clear();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] > static_cast<std::int64_t>(row)) left.push_back(lengths[i]);
      }
    }
    EXPECT_TRUE(left.empty());
  }
}

TEST(RowFilling, HasNoMoreSamplesInARowThanItHolds) {
  for (const auto rows_for : {fill_each, fit_best}) {
    const Numbers rows = rows_for(Numbers{4, 1, 1, 1, 1, 1}, {.tokens = 100, .samples = 3});
    EXPECT_EQ(rows, (Numbers{0, 0, 0, 1, 1, 1}));
  }
}

// Full rows leave what goes together badly: places are then those of the best fit (place_in_rows).
TEST(RowFilling, MayTakeARowMoreThanTheBestFit) {
  const Numbers lengths{5, 4, 4, 4, 4, 3, 3, 2};
  const RowRoom room{.tokens = 10, .samples = 9};
  EXPECT_EQ(filled(lengths, fill_each(lengths, room)), (Numbers{10, 8, 8, 3}));
  EXPECT_EQ(filled(lengths, fit_best(lengths, room)), (Numbers{9, 10, 10}));
}

}  // namespace
}  // namespace phasor::run
