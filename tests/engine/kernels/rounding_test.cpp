#include "engine/kernels/rounding.h"

#include <cmath>

#include "tests/support/inputs.h"
#include "tests/support/teams.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

constexpr RandomPosition kRoundedPosition{.seed = 5, .step = 7, .first_sample = 1, .stage = 2};

std::vector<bfloat16> rounded(std::span<const float> x, std::int64_t first = 0) {
  std::vector<bfloat16> y(x.size());
  stochastic_round(kRoundedPosition, 0, first, x, y);
  return y;
}

TEST(StochasticRound, GivesANeighbour) {
  const Floats x = same_for_all_teams([] { return spread(3, 50021); });
  const std::vector<bfloat16> y = rounded(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float low = to_float(bfloat16{static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x[i]) >> 16)});
    const float high = to_float(bfloat16{static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(x[i]) >> 16) + 1)});
    ASSERT_TRUE(to_float(y[i]) == low || (to_float(y[i]) == high && x[i] != low)) << x[i];
  }
}

// Of n draws with probability p of going up, the mean is off by no more than six deviations sqrt(p (1 - p) / n).
TEST(StochasticRound, KeepsTheMean) {
  constexpr std::size_t kDraws = 100'000;
  for (double part : {0.1, 0.5, 0.875}) {
    const Floats x(kDraws, static_cast<float>(1 + part * 0x1p-7));
    double up = 0;
    for (bfloat16 y : rounded(x)) up += (to_float(y) - 1) * 0x1p7;
    EXPECT_NEAR(up / kDraws, part, 6 * std::sqrt(part * (1 - part) / kDraws));
  }
}

TEST(StochasticRound, LeavesWhatIsExactAndWhatIsNotFinite) {
  const Floats x{0, -0.0f, 1, -2.5f, INFINITY, -INFINITY};
  const std::vector<bfloat16> y = rounded(x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(to_float(y[i]), x[i]);
  EXPECT_TRUE(std::isnan(to_float(rounded(Floats{NAN})[0])));
}

TEST(StochasticRound, OfAShardIsThatOfTheWhole) {
  const Floats x = uniform(4, 5000);
  const std::vector<bfloat16> whole = rounded(x);
  for (std::size_t first : {1u, 8u, 513u, 4999u}) {
    const std::vector<bfloat16> part = rounded(std::span(x).subspan(first), static_cast<std::int64_t>(first));
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first))) << first;
  }
}

TEST(StochasticRound, ThreadsDoNotShow) {
  const Floats x = uniform(4, 70001);
  same_for_all_teams([&] {
    Floats widened;
    for (bfloat16 y : rounded(x)) widened.push_back(to_float(y));
    return widened;
  });
}

}  // namespace
}  // namespace phasor::kernels
