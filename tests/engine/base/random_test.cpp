#include "engine/base/random.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/base/random_blocks.h"

namespace phasor {
namespace {

// From the authors' Random123 distribution, file kat_vectors.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(random_block(0, {0, 0, 0, 0}), (RandomBlock{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  EXPECT_EQ(random_block(~std::uint64_t{0}, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}),
            (RandomBlock{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(random_block(0x299F31D0A4093822, {0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}),
            (RandomBlock{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

// Side by side or alone, across the wrap of the counter's first word too.
TEST(Philox, ManyBlocksAtOnce) {
  for (std::uint32_t first : {0U, 12345U, 0xFFFFFFFBU})
    for (std::size_t count : {0u, 1u, 3u, 8u}) {
      std::vector<RandomBlock> blocks(count * kRandomBlockLanes);
      random_blocks(0x299F31D0A4093822, {first, 0x85A308D3, 0x13198A2E, 0xF3707344}, blocks);
      for (std::size_t i = 0; i < blocks.size(); ++i)
        ASSERT_EQ(blocks[i], random_block(0x299F31D0A4093822,
                                          {first + static_cast<std::uint32_t>(i), 0x85A308D3, 0x13198A2E, 0xF3707344}));
    }
}

constexpr RandomPosition kPosition{.seed = -7, .step = 11, .first_sample = 100, .stage = 3};

// The definition: block e / 8 of the sample's counter, its 16-bit words from the lowest on.
std::uint16_t bits_of(std::int64_t site, std::int64_t sample, std::int64_t element) {
  const RandomBlock block = random_block(
      static_cast<std::uint64_t>(kPosition.seed),
      {static_cast<std::uint32_t>(element / 8), static_cast<std::uint32_t>(kPosition.first_sample + sample),
       static_cast<std::uint32_t>(kPosition.stage << 8 | site), static_cast<std::uint32_t>(kPosition.step)});
  return static_cast<std::uint16_t>(block[element % 8 / 2] >> (element % 2 * 16));
}

TEST(RandomSite, FillsByTheDefinitionFromAnyElementOn) {
  const RandomSite site(kPosition, 5);
  for (std::int64_t first : {0L, 1L, 7L, 8L, 127L, 1000003L, (1L << 35) - 9})
    for (std::size_t count : {0u, 1u, 8u, 9u, 127u, 128u, 129u, 500u}) {
      std::vector<std::uint16_t> bits(count + 1, 0xABCD);
      site.fill(2, first, std::span(bits).first(count));
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(bits[i], bits_of(5, 2, first + static_cast<std::int64_t>(i))) << first << " + " << i;
      EXPECT_EQ(bits.back(), 0xABCD);  // nothing is written beyond the span
    }
}

// A site beyond its eight bits would draw what another stage draws.
TEST(RandomSite, RefusesWhatTheCounterCannotHold) {
  RandomPosition last = kPosition, beyond = kPosition;
  last.stage = kRandomStages - 1;
  beyond.stage = kRandomStages;
  EXPECT_NO_THROW(RandomSite(last, kRandomSites - 1));
  EXPECT_THROW(RandomSite(kPosition, kRandomSites), InternalError);
  EXPECT_THROW(RandomSite(kPosition, -1), InternalError);
  EXPECT_THROW(RandomSite(beyond, 0), InternalError);
}

TEST(RandomPermutation, HoldsEveryNumberOnceAndFollowsItsStream) {
  for (std::size_t n : {0u, 1u, 2u, 17u, 1000u}) {
    std::vector<std::int64_t> permutation(n), again(n), other(n);
    random_permutation(1, 2, permutation);
    random_permutation(1, 2, again);
    random_permutation(1, 3, other);
    EXPECT_EQ(permutation, again);
    if (n > 10) {
      EXPECT_NE(permutation, other);
    }
    std::vector<int> seen(n);
    for (std::int64_t value : permutation) ++seen.at(static_cast<std::size_t>(value));
    EXPECT_EQ(seen, std::vector<int>(n, 1));
  }
}

// Over many streams, each of the 24 orders of four elements comes equally often: chi-square, 23 degrees of freedom.
TEST(RandomPermutation, OrdersAreEquallyLikely) {
  constexpr int kStreams = 24000;
  std::vector<int> counts(256);
  for (std::uint32_t stream = 0; stream < kStreams; ++stream) {
    std::vector<std::int64_t> p(4);
    random_permutation(3, stream, p);
    ++counts[static_cast<std::size_t>(((p[0] * 4 + p[1]) * 4 + p[2]) * 4 + p[3])];
  }
  double chi_square = 0;
  int orders = 0;
  for (int count : counts) {
    if (count == 0) continue;
    ++orders;
    chi_square += (count - kStreams / 24.0) * (count - kStreams / 24.0) / (kStreams / 24.0);
  }
  EXPECT_EQ(orders, 24);
  EXPECT_LE(chi_square, 23 + 5 * std::sqrt(2 * 23.0));
}

// With a = 2, Z = P(|x| < a) and phi the density, E x^2 = 1 - 2 a phi(a) / Z and E x^4 = 3 E x^2 - 2 a^3 phi(a) / Z.
TEST(TruncatedNormal, HasItsMoments) {
  constexpr double kCount = 200000, kDeviation = 0.02;
  std::vector<float> values(static_cast<std::size_t>(kCount));
  fill_truncated_normal(5, 6, static_cast<float>(kDeviation), values);
  double sum = 0, squares = 0;
  for (float value : values) {
    ASSERT_LE(std::abs(value), static_cast<float>(2 * kDeviation));
    sum += value / kDeviation;
    squares += (value / kDeviation) * (value / kDeviation);
  }
  const double density = std::exp(-2.0) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  const double inside = std::erf(std::numbers::sqrt2);
  const double second = 1 - 4 * density / inside, fourth = 3 * second - 16 * density / inside;
  // Five standard deviations of a mean of kCount samples.
  EXPECT_NEAR(sum / kCount, 0, 5 * std::sqrt(second / kCount));
  EXPECT_NEAR(squares / kCount, second, 5 * std::sqrt((fourth - second * second) / kCount));
}

// E x^2 = 1, E x^4 = 3, E x^8 = 105; P(|x| > a) = erfc(a / sqrt 2).
TEST(Normal, HasItsMomentsAndItsTail) {
  constexpr double kCount = 200000, kDeviation = 0.02;
  std::vector<float> values(static_cast<std::size_t>(kCount));
  fill_normal(5, 6, static_cast<float>(kDeviation), values);
  double sum = 0, squares = 0, fourths = 0, beyond_two = 0, beyond_three = 0;
  for (float value : values) {
    const double x = value / kDeviation;
    ASSERT_LE(std::abs(x), 7);
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
    beyond_two += std::abs(x) > 2;
    beyond_three += std::abs(x) > 3;
  }
  // Five standard deviations of a mean of kCount samples.
  EXPECT_NEAR(sum / kCount, 0, 5 * std::sqrt(1 / kCount));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt((3 - 1) / kCount));
  EXPECT_NEAR(fourths / kCount, 3, 5 * std::sqrt((105 - 9) / kCount));
  const double two = std::erfc(2 / std::numbers::sqrt2), three = std::erfc(3 / std::numbers::sqrt2);
  EXPECT_NEAR(beyond_two / kCount, two, 5 * std::sqrt(two / kCount));
  EXPECT_NEAR(beyond_three / kCount, three, 5 * std::sqrt(three / kCount));
}

// Nor do the pieces that they take: what the first begins with stands nowhere else.
TEST(Normal, ThreadsDoNotShow) {
  std::vector<float> by_one(100'003), by_three(by_one.size());
  fill_normal(5, 6, 1, by_one);
  set_threads(3);
  fill_normal(5, 6, 1, by_three);
  set_threads(1);
  EXPECT_EQ(by_three, by_one);
  EXPECT_EQ(std::search(by_one.begin() + 1, by_one.end(), by_one.begin(), by_one.begin() + 8), by_one.end());
}

TEST(Normal, AValueDependsOnItsIndexAlone) {
  std::vector<float> all(100), few(10), other(100);
  fill_normal(5, 6, 1, all);
  fill_normal(5, 6, 1, few);
  fill_normal(5, 7, 1, other);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin()));
  EXPECT_NE(all, other);
}

// The moments of uniform(-1, 1): E x^2 = 1 / 3, E x^4 = 1 / 5.
TEST(Uniform, HasItsMoments) {
  constexpr double kCount = 200000, kLimit = 0.2;
  std::vector<float> values(static_cast<std::size_t>(kCount));
  fill_uniform(5, 6, static_cast<float>(kLimit), values);
  double sum = 0, squares = 0;
  for (float value : values) {
    ASSERT_LE(std::abs(value), static_cast<float>(kLimit));
    sum += value / kLimit;
    squares += (value / kLimit) * (value / kLimit);
  }
  EXPECT_NEAR(sum / kCount, 0, 5 * std::sqrt(1.0 / 3 / kCount));
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * std::sqrt((1.0 / 5 - 1.0 / 9) / kCount));
}

TEST(Uniform, AValueDependsOnItsIndexAlone) {
  std::vector<float> all(100), few(10), other(100);
  fill_uniform(5, 6, 1, all);
  fill_uniform(5, 6, 1, few);
  fill_uniform(5, 7, 1, other);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin()));
  EXPECT_NE(all, other);
}

TEST(TruncatedNormal, AValueDependsOnItsIndexAlone) {
  std::vector<float> all(100), few(10), other(100);
  fill_truncated_normal(5, 6, 1, all);
  fill_truncated_normal(5, 6, 1, few);
  fill_truncated_normal(5, 7, 1, other);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin()));
  EXPECT_NE(all, other);
}

}  // namespace
}  // namespace phasor
