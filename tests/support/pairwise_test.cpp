#include "tests/support/pairwise.h"

#include <algorithm>
#include <array>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace phasor::test {
namespace {

using Counts = std::vector<std::size_t>;

class CoveringRows : public ::testing::TestWithParam<Counts> {};

TEST_P(CoveringRows, HaveEveryPairOfValuesTogether) {
  const Counts& counts = GetParam();
  std::set<std::array<std::size_t, 4>> pairs;  // option, value, other option, its value
  for (const std::vector<std::size_t>& row : covering_rows(counts)) {
    ASSERT_EQ(row.size(), counts.size());
    for (std::size_t b = 0; b < row.size(); ++b) {
      ASSERT_LT(row[b], counts[b]);
      for (std::size_t a = 0; a < b; ++a) pairs.insert({a, row[a], b, row[b]});
    }
  }
  std::size_t expected = 0;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) expected += counts[a] * counts[b];
  }
  EXPECT_EQ(pairs.size(), expected);
}

TEST_P(CoveringRows, AreFew) {
  Counts counts = GetParam();
  const std::size_t rows = covering_rows(counts).size();
  std::ranges::sort(counts, std::greater());
  EXPECT_GE(rows, counts[0] * counts[1]);
  EXPECT_LE(rows, counts[0] * counts[1] + 4);
}

INSTANTIATE_TEST_SUITE_P(Options, CoveringRows,
                         ::testing::Values(Counts{2, 2}, Counts{2, 2, 2, 2, 2, 2, 2}, Counts{3, 3, 3, 3},
                                           Counts{1, 5, 1}, Counts{2, 4, 3, 2, 2, 2, 3}, Counts{3, 2, 2, 3, 3}));

TEST(Pairwise, IsOfTheValues) {
  using Combination = std::tuple<std::string, int>;
  EXPECT_THAT((pairwise<std::string, int>({"a", "b"}, {7, 9})),
              ::testing::UnorderedElementsAre(Combination{"a", 7}, Combination{"a", 9}, Combination{"b", 7},
                                              Combination{"b", 9}));
}

}  // namespace
}  // namespace phasor::test
