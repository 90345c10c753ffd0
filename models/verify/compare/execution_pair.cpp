#include "models/verify/compare/execution_pair.h"

#include <algorithm>

#include "models/checkpoint/fingerprint.h"
#include "models/verify/compare/differences.h"
#include "models/verify/compare/growth.h"
#include "models/verify/executions/watched_step.h"

namespace phasor::run {

ExecutionPair::ExecutionPair(const OtherExecution& other, EngineExecution& first, const LockstepOptions& options)
    : other_(other), first_(first), options_(options) {
  result_.beside = other.beside;
  result_.name = other.name;
  result_.explained = other.explained;
  if (!other.probes.empty()) judge_.emplace();
}

bool ExecutionPair::goes_on() const {
  if (other_.record && first_.done() >= other_.record->last_step()) return false;
  return !found() || steps_since_ <= options_.steps_behind;
}

void ExecutionPair::step(double loss, const StepValues& values) {
  if (other_.record) return step_of_record(loss);
  const std::vector<ValueComparison> of_probes = step_of_probes(values);
  StepValues mine;
  mine.take_sums(other_.same_sums);
  const double own_loss = watches()                  ? watched_step(*other_.engine, mine)
                          : other_.engine != nullptr ? plain_step(*other_.engine)
                                                     : other_.execution->step();
  const std::int64_t step = first_.done();
  const std::vector<TensorDistance> state = state_distances(first_.trainer(), other_.execution->state());
  ++result_.steps;
  ++result_.numbers;
  for (const TensorDistance& tensor : state) result_.numbers += tensor.distance.elements();
  ValueComparison compared;
  if (watches()) {
    compared = compare_values(values, mine, other_.rounding == Rounding::none);
    result_.activations += compared.compared;
    for (const auto& [key, seen] : mine.values()) result_.numbers += std::ssize(*seen.front().elements);
  }
  if (!result_.first) find_first(step, loss, own_loss, compared, state);
  if (judge_) judge(step, compared, of_probes, state);
  if (result_.first) add_growth(result_.growth, step, state);
  if (found()) ++steps_since_;
}

VerifiedPair ExecutionPair::take() {
  if (other_.record) {
    check(result_.numbers > 0, "verify: '{}' has nothing of the steps that were executed, up to step {}",
          other_.record->path(), first_.done());
  }
  if (judge_) result_.rounding = judge_->verdict();
  return std::move(result_);
}

// Their values beside the first execution's, where values are compared.
std::vector<ValueComparison> ExecutionPair::step_of_probes(const StepValues& values) {
  std::vector<ValueComparison> compared;
  for (std::size_t p = 0; p < other_.probes.size(); ++p) {
    StepValues seen;
    disturbed_step(*other_.probes[p], other_.rounding, p + 1, watches() ? &seen : nullptr);
    if (watches()) compared.push_back(compare_values(values, seen, false));
  }
  return compared;
}

void ExecutionPair::judge(std::int64_t step, const ValueComparison& compared,
                          const std::vector<ValueComparison>& of_probes, const std::vector<TensorDistance>& state) {
  judge_->take_values(step, compared, of_probes);
  std::vector<std::vector<TensorDistance>> states;
  for (EngineExecution* probe : other_.probes) states.push_back(state_distances(first_.trainer(), probe->state()));
  judge_->take_state(step, state, states);
}

void ExecutionPair::step_of_record(double loss) {
  const std::int64_t step = first_.done();
  Trainer& trainer = first_.trainer();
  const std::optional<double> its_loss = other_.record->loss(step);
  const auto its_state = other_.record->fingerprint(step), file = other_.record->checkpoint(step);
  std::vector<TensorDistance> state;
  if (file) state = state_distances(trainer, state_of(*file));
  ++result_.steps;
  result_.numbers += its_loss ? 1 : 0;
  for (const TensorDistance& tensor : state) result_.numbers += tensor.distance.elements();
  if (!result_.first) find_first(step, loss, its_loss.value_or(loss), {}, state);
  if (its_state && !file) {
    const std::string own = fingerprint(trainer.stages(), trainer.state());
    for (const CanonicalTensor& tensor : canonical_tensors(trainer.stages())) {
      result_.numbers += tensor.shape.elements() * std::ssize(kSavedStates);
    }
    if (own != *its_state && !result_.first) {
      result_.first = {.place = {.step = step, .tensor = "state", .shape = {1}},
                       .facts = fmt::format("fingerprints {} and {}", own, *its_state)};
    }
  }
  if (result_.first && !state.empty()) add_growth(result_.growth, step, state);
  if (result_.first) ++steps_since_;
}

void ExecutionPair::find_first(std::int64_t step, double loss, double own_loss, const ValueComparison& compared,
                               const std::vector<TensorDistance>& state) {
  constexpr std::size_t kMostOthers = 64;
  const bool losses_differ = numbers_of(loss, own_loss).a_bits != numbers_of(loss, own_loss).b_bits;
  std::vector<VerifiedDifference>& differences = result_.others;
  for (const ValueDistance& value : compared.differences) differences.push_back(difference_of(value, step));
  if (losses_differ) {
    differences.push_back(
        difference_of_losses(loss, own_loss, phase_of_loss(first_.trainer().runner().pipeline()), step));
  }
  for (const TensorDistance& tensor : state) {
    if (tensor.distance.equal()) continue;
    ++result_.different_tensors;
    differences.push_back(difference_of(tensor, step));
  }
  if (differences.empty()) return;
  result_.loss_differs = losses_differ;
  result_.first = differences.front();
  differences.erase(differences.begin());
  differences.resize(std::min<std::size_t>(differences.size(), kMostOthers));
}

}  // namespace phasor::run
