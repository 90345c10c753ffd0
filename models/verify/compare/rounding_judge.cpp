#include "models/verify/compare/rounding_judge.h"

#include "models/verify/compare/differences.h"

namespace phasor::run {

void RoundingJudge::take_values(std::int64_t step, const ValueComparison& compared,
                                const std::vector<ValueComparison>& probes) {
  if (probes.empty()) return;
  const ValueBound bound(probes);
  for (const ValueDistance& value : compared.differences) {
    take(bound.reached(value), difference_of(value, step), value.distance);
  }
}

void RoundingJudge::take_state(std::int64_t step, const std::vector<TensorDistance>& state,
                               const std::vector<std::vector<TensorDistance>>& probes) {
  const RoundingBound bound(probes);
  for (std::size_t t = 0; t < state.size(); ++t) {
    take(bound.reached(t, state[t].distance), difference_of(state[t], step), state[t].distance);
  }
}

void RoundingJudge::take(double reached, const VerifiedDifference& difference, const Distance& distance) {
  if (reached > verdict_.largest) {
    verdict_.largest = reached;
    verdict_.at = difference.place.tensor;
    verdict_.at_step = difference.place.step;
  }
  if (reached <= 1 || verdict_.beyond) return;
  verdict_.within = false;
  verdict_.beyond = at_largest(difference, distance);
}

}  // namespace phasor::run
