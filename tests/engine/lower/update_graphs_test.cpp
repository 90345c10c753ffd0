// The graphs on flat gradients and weights, computed with small numbers whose results are exact.
#include "engine/lower/units/update_graphs.h"

#include <gtest/gtest.h>

#include "engine/kernels/square_sum.h"
#include "tests/engine/train/toy_model.h"
#include "tests/support/reference_executor.h"

namespace phasor::test {
namespace {

Elements<double> reals(std::vector<double> values) {
  Elements<double> elements;
  elements.reals = std::move(values);
  return elements;
}

const std::vector<Placement> kPlacements{place_variable({DType::f32, {3}}, 2, 0),    // two a replica
                                         place_variable({DType::f32, {2}}, 2, 10)};  // whole

// Exact sums of the squares of single numbers, one behind the other.
Elements<double> sums_of(const std::vector<float>& numbers) {
  Elements<double> elements;
  for (const float& x : numbers) {
    elements.longs.resize(elements.longs.size() + kernels::kSquareSumNumbers);
    kernels::square_sum(std::span(&x, 1), std::span(elements.longs).last(kernels::kSquareSumNumbers));
  }
  return elements;
}

TEST(SquareSumGraph, AddsToTheSumSoFar) {
  const auto sum = evaluate<double>(square_sum_graph(kPlacements), {reals({1, 2}), reals({3, 4}), sums_of({10})});
  EXPECT_EQ(kernels::square_sum_value(sum[0].longs), 100 + 1 + 4 + 9 + 16);
}

// norm = gradient_scale * sqrt(sharded + whole) = 0.5 * sqrt(1 + 4 + 4 + 16)
TEST(ClipGraph, CombinesShardedAndWholeVariables) {
  const std::vector<Elements<double>> inputs{sums_of({1, 2, 2}), sums_of({4}), reals({0.1, 0.5, 1, 1})};
  const auto clip = [&](float max_norm) {
    return evaluate<double>(clip_graph({.max_grad_norm = max_norm}, 3), inputs)[0].reals[0];
  };
  EXPECT_EQ(clip(1.25f), 0.5);
  EXPECT_EQ(clip(2.5f), 1);
  EXPECT_EQ(clip(7), 1);
}

// Of the head's variables the weight decays and the bias does not.
TEST(UpdateGraph, DecaysWhatDecays) {
  const OptimizerOptions options{.weight_decay = 0.25f, .max_grad_norm = 1};
  std::vector<UpdateSlice> slices;
  const Stage head = toy_head();
  for (int i = 0; i < 2; ++i) {
    const Variable& variable = head.variables[i];
    slices.push_back({.variable = i,
                      .name = variable.name,
                      .decays = variable.decays,
                      .placement = kPlacements[i],
                      .draw = {},
                      .first = 0,
                      .elements = 2});
  }
  const Graph graph = update_graph(slices, options);
  const Elements<double> none2 = reals({0, 0}), w2 = reals({8, -8});
  const auto updated =
      evaluate<double>(graph, {w2, none2, none2, none2, w2, none2, none2, none2, reals({0.5, 1, 1, 1}), reals({1})});
  EXPECT_EQ(updated[0].reals, (std::vector<double>{7, -7}));  // w - 0.5 * 0.25 w
  EXPECT_EQ(updated[3].reals, w2.reals);
}

}  // namespace
}  // namespace phasor::test
