#include "engine/kernels/dropout.h"

#include "engine/kernels/reference/dropout.h"
#include "tests/engine/kernels/packed_rows.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

constexpr RandomPosition kDropoutPosition{.seed = 42, .step = 3, .first_sample = 8, .stage = 2};

// What becomes of the ones of sample 0 from `first` on: the scale where kept, 0 where dropped.
Floats factors(const RandomPosition& position, std::int64_t site, float probability, std::size_t count,
               std::size_t first = 0) {
  std::vector<std::uint16_t> bits(count);
  RandomSite(position, site).fill(0, static_cast<std::int64_t>(first), bits);
  const DropoutRate rate(probability);
  Floats row;
  for (const std::uint16_t drawn : bits) row.push_back(drawn < rate.threshold ? 0 : rate.scale);
  return row;
}

std::int64_t kept(std::span<const float> row) {
  return std::count_if(row.begin(), row.end(), [](float factor) { return factor != 0; });
}

// Five standard deviations of a count of `trials` events of probability p.
double binomial_bound(double trials, double p) { return 5 * std::sqrt(trials * p * (1 - p)); }

template <class T>
struct DropoutOf : ::testing::Test {};
TYPED_TEST_SUITE(DropoutOf, StoredTypes);

TYPED_TEST(DropoutOf, AgreesWithTheReference) {
  using T = TypeParam;
  struct Sizes {
    std::int64_t samples, elements;
  };
  for (const auto& [samples, elements] :
       {Sizes{0, 0}, Sizes{3, 0}, Sizes{1, 1}, Sizes{3, 7}, Sizes{2, 513}, Sizes{5, 1031}, Sizes{2, 40001}})
    for (float probability : {0.0f, 0.1f, 0.5f, 0.9f}) {
      const Buffer<T> x = stored<T>(spread(1, samples * elements));
      Floats expected(x.size());
      reference::dropout<float>(kDropoutPosition, 4, probability, samples, loaded(x), expected);
      expected = representable<T>(expected);
      const Floats y = same_for_all_teams([&, rows = samples] {
        Buffer<T> out = x;  // in place
        dropout<T>(kDropoutPosition, 4, probability, rows, out, out);
        return loaded(out);
      });
      EXPECT_TRUE(std::equal(y.begin(), y.end(), expected.begin()));  // the sign of a zero aside
    }
}

TYPED_TEST(DropoutOf, SegmentsAgreeWithTheReference) {
  using T = TypeParam;
  for (const PackedRows& packed : packed_rows())
    for (std::size_t columns : {1u, 3u, 1031u})  // fewer than a piece has elements, and several pieces
      for (float probability : {0.0f, 0.1f, 0.9f}) {
        const Buffer<T> x = stored<T>(packed.spoiled(spread(1, packed.tokens() * columns)));
        Floats expected(x.size());
        reference::dropout<float>(kDropoutPosition, 4, probability, packed.segments(), loaded(x), expected);
        expected = representable<T>(expected);
        const Floats y = same_for_all_teams([&] {
          Buffer<T> out = x;  // in place
          dropout<T>(kDropoutPosition, 4, probability, packed.segments(), out, out);
          return loaded(out);
        });
        EXPECT_TRUE(std::equal(y.begin(), y.end(), expected.begin()));
      }
}

// A sample has the mask that it has alone, wherever in the rows it stands.
TEST(Dropout, TheMaskOfASegmentBelongsToItsSample) {
  constexpr std::int64_t kColumns = 700;
  const Floats alone(6 * 40 * kColumns, 1.0f);  // [samples, tokens, columns]
  Floats masks(alone.size());
  dropout<float>(kDropoutPosition, 1, 0.5f, 6, alone, masks);
  const PackedRows packed{
      .rows = 2, .sequence = 100, .numbers = {0, 33, 5, 33, 40, 0, 75, 25, 3, /* row 1 */ 2, 40, 4, 0, 0, 0, 0, 0, 0}};
  const Floats x(packed.tokens() * kColumns, 1.0f);
  Floats y(x.size());
  dropout<float>(kDropoutPosition, 1, 0.5f, packed.segments(), x, y);
  for (const auto& [row, n] : {std::pair{0, 0}, std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 0}}) {
    const Segment segment = packed.segments().at(row, n);
    const std::int64_t elements = segment.tokens * kColumns;
    EXPECT_TRUE(same_bits(std::span(y).subspan((row * packed.sequence + segment.first) * kColumns, elements),
                          std::span(masks).subspan(segment.sample * 40 * kColumns, elements)));
  }
}

TEST(Dropout, DropsAsOftenAsAskedAndEvenly) {
  constexpr std::size_t kGroups = 1000, kSize = 1000;
  for (float probability : {0.1f, 0.5f, 0.75f}) {
    const DropoutRate rate(probability);
    const double p = 1 - rate.threshold * 0x1p-16;  // of being kept
    const Floats row = factors(kDropoutPosition, 1, probability, kGroups * kSize);
    EXPECT_NEAR(static_cast<double>(kept(row)), kGroups * kSize * p, binomial_bound(kGroups * kSize, p));
    // The counts of groups scatter like binomial ones: chi-square with kGroups degrees of freedom.
    double chi_square = 0;
    for (std::size_t group = 0; group < kGroups; ++group) {
      const double deviation = kept(std::span(row).subspan(group * kSize, kSize)) - kSize * p;
      chi_square += deviation * deviation / (kSize * p * (1 - p));
    }
    EXPECT_NEAR(chi_square, kGroups, 5 * std::sqrt(2.0 * kGroups));
    EXPECT_NEAR(rate.scale * p, 1, 0x1p-23);
  }
}

TEST(Dropout, TheMaskIsTheSameUnderAnySplit) {
  const Floats whole = factors(kDropoutPosition, 1, 0.3f, 2000);
  for (std::size_t length : {1, 3, 8, 100, 129, 1999}) {
    Floats pieces;
    while (pieces.size() < whole.size()) {
      const std::size_t count = std::min(length, whole.size() - pieces.size());
      for (const float factor : factors(kDropoutPosition, 1, 0.3f, count, pieces.size())) pieces.push_back(factor);
    }
    EXPECT_TRUE(same_bits(pieces, whole)) << length;
  }
}

// Samples are counted over the global batch: a micro-batch that starts later sees the masks of later samples.
TEST(Dropout, TheMaskBelongsToTheGlobalSample) {
  const Floats x(4 * 100, 1.0f);
  Floats together(x.size()), apart(x.size());
  dropout<float>(kDropoutPosition, 1, 0.5f, 4, x, together);
  for (int sample = 0; sample < 4; ++sample) {
    RandomPosition later = kDropoutPosition;
    later.first_sample += sample;
    dropout<float>(later, 1, 0.5f, 1, std::span(x).first(100), std::span(apart).subspan(sample * 100, 100));
  }
  EXPECT_TRUE(same_bits(apart, together));
}

// Two independent fair masks agree in half of the places.
TEST(Dropout, MasksOfDifferentCountersAreIndependent) {
  constexpr std::size_t kCount = 100000;
  const auto mask = [](const RandomPosition& position, std::int64_t site) {
    return factors(position, site, 0.5f, kCount);
  };
  const Floats base = mask(kDropoutPosition, 1);
  EXPECT_TRUE(same_bits(mask(kDropoutPosition, 1), base));
  RandomPosition seed = kDropoutPosition, step = kDropoutPosition, sample = kDropoutPosition, stage = kDropoutPosition;
  ++seed.seed, ++step.step, ++sample.first_sample, ++stage.stage;
  for (const Floats& other :
       {mask(kDropoutPosition, 2), mask(seed, 1), mask(step, 1), mask(sample, 1), mask(stage, 1)}) {
    std::size_t agreeing = 0;
    for (std::size_t i = 0; i < kCount; ++i) agreeing += base[i] == other[i];
    EXPECT_NEAR(static_cast<double>(agreeing), kCount / 2.0, binomial_bound(kCount, 0.5));
  }
}

}  // namespace
}  // namespace phasor::kernels
