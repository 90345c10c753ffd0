// What rounding can explain of a difference between two executions whose arithmetic is not the same.
//
// Bounds that hold for every rounding of a deep network, layer by layer, exceed the numbers themselves after a few
// layers (Higham, "Accuracy and Stability of Numerical Algorithms", 3.4). So the bound is measured on the very model,
// samples and step: executions of the first configuration, called probes, are disturbed in every value by as much as
// the change of arithmetic could (disturbance.h), from the same state on, and so pass through the same layers, the same
// cancellation and the same optimizer. A probe's difference to the undisturbed execution is a draw from what rounding
// does.
//
// The other execution's difference is within what rounding explains while, in every tensor of the state, neither its
// norm nor its largest element exceeds kSlack times the largest of the probes'. A tensor of few elements has too few
// draws, so no tensor's measure counts as smaller than its layer's, relative to the norm or the largest element of
// either.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/verify/compare/result.h"
#include "models/verify/compare/state_distance.h"
#include "models/verify/values/step_values.h"

namespace phasor::run {

inline constexpr int kProbes = 2;
// The room between two draws of one distribution, of which one is the largest of thousands of elements, through an
// optimizer that is chaotic. What a fault does below that is not told from rounding.
inline constexpr double kSlack = 8;

// What a tensor's difference may be at most, but for the slack.
struct RoundingLimit {
  double norm = 0, largest = 0;

  // Widens it to a draw, and to one of that relative size.
  void take(const Distance& draw, double relative);
  // The part of the bound that a difference has reached: above 1 it is beyond it.
  double reached(const Distance& distance) const;
};

// Bounds of the state behind a step.
class RoundingBound {
 public:
  // The distances of the probes to the undisturbed execution, tensor by tensor in one order.
  explicit RoundingBound(const std::vector<std::vector<TensorDistance>>& probes);

  // Of a tensor in the same place of that order.
  double reached(std::size_t tensor, const Distance& distance) const { return limits_[tensor].reached(distance); }

 private:
  std::vector<RoundingLimit> limits_;
};

// Bounds of the values that a step makes, of which those of a micro-batch are as many draws: one counts as no smaller
// than their median, relative to its norm.
class ValueBound {
 public:
  // The probes' values beside those of the undisturbed execution.
  explicit ValueBound(const std::vector<ValueComparison>& probes);

  double reached(const ValueDistance& value) const;

 private:
  std::map<ValueKey, RoundingLimit> limits_;
  double relative_ = 0;
};

}  // namespace phasor::run
