// References of Adam, LAMB and gradient descent, which nothing is differentiated through.
#pragma once

#include "engine/kernels/reference/lamb.h"
#include "engine/kernels/reference/layout.h"
#include "engine/kernels/reference/optimizer.h"
#include "engine/kernels/reference/square_sum.h"
#include "tests/support/reference/node.h"

namespace phasor::test::reference_ops {

inline kernels::AdamSettings adam_settings(const RunningNode<double>& node) {
  const auto& a = node.attributes<AdamAttributes>();
  return {a.beta1, a.beta2, a.eps, a.weight_decay, a.decoupled};
}

inline kernels::AdamStep adam_step(const RunningNode<double>& node, int k) {
  return {node.number(k, 0), node.number(k, 1), node.number(k, 2), node.number(k, 3)};
}

inline void adam(RunningNode<double>& node) {
  reference::adam<double>(adam_settings(node), adam_step(node, 4), node.clip_factor(5), node.in(0), node.in(1),
                          node.in(2), node.in(3), node.out(0), node.out(1), node.out(2));
  if (node.attributes<AdamAttributes>().rounds) reference::copy<double>(node.out(0), node.out(3));
}

inline void lamb_moments(RunningNode<double>& node) {
  const kernels::AdamSettings settings = adam_settings(node);
  const kernels::AdamStep step = adam_step(node, 5);
  reference::lamb_moments<double>(settings, step, node.clip_factor(6), node.in(0), node.in(1), node.in(4), node.out(0),
                                  node.out(1));
  std::vector<double> direction;
  for (std::size_t i = 0; i < node.in(3).size(); ++i) {
    const double exact =
        reference::lamb_direction<double>(settings, step, node.in(3)[i], node.out(0)[i], node.out(1)[i]);
    direction.push_back(static_cast<float>(exact));  // whose square is exact
  }
  std::vector<std::int64_t>& sums = node.longs_out(2);
  sums = node.longs(2);
  std::vector<std::int64_t> weights(sums.begin(), sums.begin() + kernels::kSquareSumNumbers),
      directions(sums.begin() + kernels::kSquareSumNumbers, sums.end());
  reference::square_sum(node.in(3), weights);
  reference::square_sum(std::span<const double>(direction), directions);
  std::ranges::copy(weights, sums.begin());
  std::ranges::copy(directions, sums.begin() + kernels::kSquareSumNumbers);
}

inline void lamb_ratio(RunningNode<double>& node) {
  double weights = 0, directions = 0;
  const std::span<const std::int64_t> sums = node.longs(0);
  for (std::size_t i = 0; i < sums.size(); i += kernels::kLambNumbers) {
    weights += kernels::square_sum_value(sums.subspan(i, kernels::kSquareSumNumbers));
    directions += kernels::square_sum_value(sums.subspan(i + kernels::kSquareSumNumbers, kernels::kSquareSumNumbers));
  }
  node.out(0)[0] = weights == 0 || directions == 0 ? 1 : std::sqrt(weights / directions);
}

inline void lamb_weights(RunningNode<double>& node) {
  reference::lamb_weights<double>(adam_settings(node), adam_step(node, 3), node.in(4)[0], node.in(0), node.in(1),
                                  node.in(2), node.out(0));
  if (node.attributes<AdamAttributes>().rounds) reference::copy<double>(node.out(0), node.out(1));
}

// With momentum, too, whose moments are input and output 1.
inline void descent(RunningNode<double>& node) {
  const auto& a = node.attributes<DescentAttributes>();
  const bool moves = node.op() == Op::momentum;
  const int g = moves ? 2 : 1;
  const auto m = moves ? node.in(1) : decltype(node.in(1)){};
  const auto new_m = moves ? node.out(1) : decltype(node.out(0)){};
  reference::descent<double>({a.momentum, a.weight_decay, a.nesterov}, adam_step(node, g + 1), node.clip_factor(g + 2),
                             node.in(0), m, node.in(g), node.out(0), new_m);
  if (a.rounds) reference::copy<double>(node.out(0), node.out(moves ? 2 : 1));
}

}  // namespace phasor::test::reference_ops
