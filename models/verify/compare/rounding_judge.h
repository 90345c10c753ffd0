// Holds the differences of an execution against what rounding can explain (bound.h), step by step.
#pragma once

#include <vector>

#include "models/verify/compare/bound.h"
#include "models/verify/compare/result.h"

namespace phasor::run {

class RoundingJudge {
 public:
  // The values that a step made, and those of each probe, beside the first execution's. No probes: nothing is judged.
  void take_values(std::int64_t step, const ValueComparison& compared, const std::vector<ValueComparison>& probes);
  // The state behind a step, and that of each probe, likewise and in one order.
  void take_state(std::int64_t step, const std::vector<TensorDistance>& state,
                  const std::vector<std::vector<TensorDistance>>& probes);

  const RoundingVerdict& verdict() const { return verdict_; }

 private:
  void take(double reached, const VerifiedDifference& difference, const Distance& distance);

  RoundingVerdict verdict_;
};

}  // namespace phasor::run
