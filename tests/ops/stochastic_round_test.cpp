// What stochastic rounding draws from. The reference executor rounds nothing, so that the op's cases cannot tell.
#include <gtest/gtest.h>

#include "engine/ir/builder.h"
#include "engine/ir/records.h"
#include "tests/support/fast_executor.h"
#include "tests/support/inputs.h"

namespace phasor::test {
namespace {

constexpr std::int64_t kRounded = 101;
const std::vector<std::int64_t> kUpdatePosition{9, 5, 1, 3, 1};  // seed, step, replica, stage, slice
constexpr StochasticRoundAttributes kRounding{.number = 2, .shard_elements = 303, .first = 40, .slice_elements = 2020};

std::vector<float> rounded_at(const std::vector<std::int64_t>& position, const StochasticRoundAttributes& attributes) {
  Graph graph;
  const Value x = graph.add_input({DType::f32, {kRounded}}, "x");
  const Value at = graph.add_input(kUpdatePositionSpec, "position");
  graph.outputs = {Builder(graph).stochastic_round(x, at, attributes)};
  Elements<float> values, numbers;
  const Floats drawn = uniform(3, kRounded);
  values.reals.assign(drawn.begin(), drawn.end());
  numbers.longs = position;
  return run_graph(graph, {values, numbers})[0].reals;
}

TEST(StochasticRoundOp, DrawsAnewForEveryPartOfItsPosition) {
  const std::vector<float> expected = rounded_at(kUpdatePosition, kRounding);
  EXPECT_EQ(rounded_at(kUpdatePosition, kRounding), expected);
  for (std::size_t part = 0; part < kUpdatePosition.size(); ++part) {
    std::vector<std::int64_t> other = kUpdatePosition;
    ++other[part];
    EXPECT_NE(rounded_at(other, kRounding), expected) << part;
  }
  StochasticRoundAttributes other = kRounding;
  ++other.number;
  EXPECT_NE(rounded_at(kUpdatePosition, other), expected);
}

// Of the whole table, whatever slices, shards and parts of them it is updated in.
TEST(StochasticRoundOp, AnElementIsNumberedWithinTheWholeVariable) {
  StochasticRoundAttributes whole{.number = kRounding.number};
  whole.first = 1 * kRounding.slice_elements + 1 * kRounding.shard_elements + kRounding.first;
  EXPECT_EQ(rounded_at(kUpdatePosition, kRounding), rounded_at(kUpdatePosition, whole));
}

}  // namespace
}  // namespace phasor::test
