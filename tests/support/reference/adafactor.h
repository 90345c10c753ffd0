// References of Adafactor, and of what clips gradients.
#pragma once

#include <bit>

#include "engine/kernels/reference/adafactor.h"
#include "engine/kernels/reference/square_sum.h"
#include "tests/support/reference/node.h"
#include "tests/support/reference/optimizers.h"

namespace phasor::test::reference_ops {

// Sums are doubles, as their bits.
inline void adafactor_sums(RunningNode<double>& node) {
  const auto rows = static_cast<std::int64_t>(node.longs(0).size());
  const std::vector<double> sums =
      reference::adafactor_sums<double>(adam_step(node, 3), node.clip_factor(4), rows, node.in(2));
  std::vector<std::int64_t>&of_rows = node.longs_out(0), &of_columns = node.longs_out(1);
  of_rows = node.longs(0);
  of_columns = node.longs(1);
  for (std::size_t i = 0; i < of_rows.size(); ++i) of_rows[i] = std::bit_cast<std::int64_t>(sums[i]);
  for (std::size_t j = 0; j < of_columns.size(); ++j) {
    of_columns[j] = std::bit_cast<std::int64_t>(std::bit_cast<double>(of_columns[j]) + sums[of_rows.size() + j]);
  }
}

inline void adafactor_factors(RunningNode<double>& node) {
  const auto& a = node.attributes<AdafactorAttributes>();
  const auto numbers = static_cast<std::size_t>(a.rows + a.columns);
  std::ranges::copy(node.in(0), node.out(0).begin());
  for (std::size_t first = 0; first < node.in(0).size(); first += numbers) {
    std::vector<double> sums;
    for (std::size_t n = 0; n < numbers; ++n) sums.push_back(std::bit_cast<double>(node.longs(1)[first + n]));
    const std::vector<double> factors =
        reference::adafactor_factors<double>(adam_step(node, 2), a.rows, sums, node.out(0).subspan(first, numbers));
    std::ranges::copy(factors, node.out(1).subspan(first, numbers).begin());
  }
}

// Of the gradient, input 1, with the factors of rows and of columns, inputs 2 and 3, and a step behind which it may be
// clipped.
inline std::vector<double> adafactor_update(const RunningNode<double>& node, int step) {
  std::vector<double> both(node.in(2).begin(), node.in(2).end());
  both.insert(both.end(), node.in(3).begin(), node.in(3).end());
  return reference::adafactor_update<double>(adam_step(node, step), node.clip_factor(step + 1),
                                             static_cast<std::int64_t>(node.in(2).size()), node.in(1), both);
}

// Adds to the sum, input k, as output 0.
inline void add_squares(RunningNode<double>& node, int k, std::span<const double> x) {
  node.longs_out(0) = node.longs(k);
  reference::square_sum(x, node.longs_out(0));
}

inline void adafactor_squares(RunningNode<double>& node) {
  std::vector<double> u = adafactor_update(node, 4);
  for (double& x : u) x = static_cast<float>(x);  // whose square is exact
  add_squares(node, 0, u);
}

inline void adafactor_weights(RunningNode<double>& node) {
  const auto& a = node.attributes<AdafactorAttributes>();
  const double mean = kernels::square_sum_value(node.longs(4)) / static_cast<double>(a.rows * a.columns);
  reference::adafactor_weights<double>(a.weight_decay, adam_step(node, 5), mean, adafactor_update(node, 5), node.in(0),
                                       node.out(0));
  if (a.rounds) reference::copy<double>(node.out(0), node.out(1));
}

inline void square_sum(RunningNode<double>& node) { add_squares(node, 0, node.in(1)); }

inline void clip_factor(RunningNode<double>& node) {
  double sum = kernels::square_sum_value(node.longs(1));
  const std::span<const std::int64_t> sums = node.longs(0);
  for (std::size_t i = 0; i < sums.size(); i += kernels::kSquareSumNumbers) {
    sum += kernels::square_sum_value(sums.subspan(i, kernels::kSquareSumNumbers));
  }
  reference::clip_factor<double>(node.attributes<ClipAttributes>().max_norm, node.number(2, 1), sum, node.out(0),
                                 node.out(1));
}

}  // namespace phasor::test::reference_ops
