#include "models/verify/lockstep.h"

#include <algorithm>

#include "models/checkpoint/fingerprint.h"
#include "models/verify/bound.h"
#include "models/verify/growth.h"
#include "models/verify/step_values.h"
#include "models/verify/watched_step.h"

namespace phasor::run {

namespace {

VerifiedDifference difference_of(const TensorDistance& tensor, std::int64_t step) {
  const Distance& d = tensor.distance;
  return {.place = {.step = step,
                    .phase = tensor.phase,
                    .tensor = tensor.name,
                    .shape = tensor.shape,
                    .element = d.first_element()},
          .numbers = d.first(),
          .different = d.different(),
          .elements = d.elements()};
}

VerifiedDifference difference_of(const ValueDistance& value, std::int64_t step) {
  const Distance& d = value.distance;
  return {.place = {.step = step,
                    .phase = value.phase,
                    .micro_batch = value.key.micro_batch,
                    .tensor = value.key.name,
                    .shape = value.shape,
                    .element = d.first_element()},
          .numbers = d.first(),
          .different = d.different(),
          .elements = d.elements()};
}

// Losses are sums of float32, in double; where they differ as float32, that tells more.
Numbers loss_numbers(double a, double b) {
  const Numbers single = numbers_of(static_cast<float>(a), static_cast<float>(b));
  return single.ulps > 0 ? single : numbers_of(a, b);
}

VerifiedDifference difference_of_losses(double a, double b, const std::string& phase, std::int64_t step) {
  return {.place = {.step = step, .phase = phase, .tensor = "loss", .shape = {1}}, .numbers = loss_numbers(a, b)};
}

// The phase in which a step's loss is made: the first of the last device that is of the last stage.
std::string phase_of_loss(const Pipeline& pipeline) {
  for (const Phase& phase : pipeline.devices.back().phases) {
    if (phase.section == Section::step && phase.name.starts_with("gradient ")) return phase_text(phase);
  }
  return {};
}

// The farthest element instead of the first one.
VerifiedDifference at_largest(VerifiedDifference difference, const Distance& distance) {
  difference.place.element = distance.largest_element();
  difference.numbers = distance.largest();
  return difference;
}

class Pair {
 public:
  Pair(const OtherExecution& other, Execution& first, const LockstepOptions& options)
      : other_(other), first_(first), options_(options) {
    result_.beside = other.beside;
    result_.name = other.name;
    result_.explained = other.explained;
    if (!other.probes.empty()) result_.rounding.emplace();
  }

  // Whether more steps would tell more.
  bool goes_on() const {
    const bool found = result_.rounding ? result_.rounding->beyond.has_value() : result_.first.has_value();
    if (other_.record && first_.done() >= other_.record->last_step()) return false;
    return !found || steps_since_ <= options_.steps_behind;
  }

  // Behind a step of the first execution, which has this loss and these values.
  void step(double loss, const StepValues& values) {
    if (other_.record) return step_of_record(loss);
    const bool watches = options_.activations && other_.same_micro_batches;
    std::vector<ValueComparison> disturbed;
    for (std::size_t p = 0; p < other_.probes.size(); ++p) {
      StepValues seen;
      disturbed_step(*other_.probes[p], other_.rounding, p + 1, watches ? &seen : nullptr);
      if (watches) disturbed.push_back(compare_values(values, seen, false));
    }
    StepValues mine;
    mine.take_sums(other_.same_sums);
    const double own_loss = watches ? watched_step(*other_.execution, mine) : plain_step(*other_.execution);
    const std::int64_t step = first_.done();
    const std::vector<TensorDistance> state = state_distances(first_.trainer(), other_.execution->trainer());
    ++result_.steps;
    ++result_.numbers;
    for (const TensorDistance& tensor : state) result_.numbers += tensor.distance.elements();
    ValueComparison compared;
    if (watches) {
      compared = compare_values(values, mine, other_.rounding == Rounding::none);
      result_.activations += compared.compared;
      for (const auto& [key, seen] : mine.values()) result_.numbers += std::ssize(*seen.front().elements);
    }
    if (!result_.first) find_first(step, loss, own_loss, compared, state);
    if (result_.rounding) {
      judge_values(step, compared, disturbed);
      judge(step, state);
    }
    if (result_.first) add_growth(result_.growth, step, state);
    if (result_.rounding ? result_.rounding->beyond.has_value() : result_.first.has_value()) ++steps_since_;
  }

  VerifiedPair take() {
    if (other_.record) {
      check(result_.numbers > 0, "verify: '{}' has nothing of the steps that were executed, up to step {}",
            other_.record->path(), first_.done());
    }
    return std::move(result_);
  }

 private:
  void step_of_record(double loss) {
    const std::int64_t step = first_.done();
    Trainer& trainer = first_.trainer();
    const std::optional<double> its_loss = other_.record->loss(step);
    const auto its_state = other_.record->fingerprint(step), file = other_.record->checkpoint(step);
    std::vector<TensorDistance> state;
    if (file) state = state_distances(trainer, *file);
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

  void find_first(std::int64_t step, double loss, double own_loss, const ValueComparison& compared,
                  const std::vector<TensorDistance>& state) {
    const bool losses_differ = numbers_of(loss, own_loss).a_bits != numbers_of(loss, own_loss).b_bits;
    std::vector<VerifiedDifference>& found = result_.others;
    for (const ValueDistance& value : compared.differences) found.push_back(difference_of(value, step));
    if (losses_differ) {
      found.push_back(difference_of_losses(loss, own_loss, phase_of_loss(first_.trainer().runner().pipeline()), step));
    }
    for (const TensorDistance& tensor : state) {
      if (tensor.distance.equal()) continue;
      ++result_.different_tensors;
      found.push_back(difference_of(tensor, step));
    }
    if (found.empty()) return;
    result_.loss_differs = losses_differ;
    result_.first = found.front();
    found.erase(found.begin());
    found.resize(std::min<std::size_t>(found.size(), kMostOthers));
  }

  void judge_values(std::int64_t step, const ValueComparison& compared, const std::vector<ValueComparison>& disturbed) {
    if (disturbed.empty()) return;
    const ValueBound bound(disturbed);
    for (const ValueDistance& value : compared.differences) {
      judge(bound.reached(value), difference_of(value, step), value.distance);
    }
  }

  void judge(double reached, const VerifiedDifference& difference, const Distance& distance) {
    RoundingVerdict& verdict = *result_.rounding;
    if (reached > verdict.largest) {
      verdict.largest = reached;
      verdict.at = difference.place.tensor;
      verdict.at_step = difference.place.step;
    }
    if (reached <= 1 || verdict.beyond) return;
    verdict.within = false;
    verdict.beyond = at_largest(difference, distance);
  }

  void judge(std::int64_t step, const std::vector<TensorDistance>& state) {
    std::vector<std::vector<TensorDistance>> probes;
    for (Execution* probe : other_.probes) probes.push_back(state_distances(first_.trainer(), probe->trainer()));
    const RoundingBound bound(probes);
    for (std::size_t t = 0; t < state.size(); ++t) {
      judge(bound.reached(t, state[t].distance), difference_of(state[t], step), state[t].distance);
    }
  }

  static constexpr std::size_t kMostOthers = 64;

  const OtherExecution& other_;
  Execution& first_;
  const LockstepOptions& options_;
  VerifiedPair result_;
  std::int64_t steps_since_ = 0;  // what was looked for was found, that step included
};

}  // namespace

VerifyResult run_lockstep(const std::string& name, Execution& first, const std::vector<OtherExecution>& others,
                          const LockstepOptions& options, io::Listener& listener) {
  VerifyResult result{.name = name, .first_step = first.done()};
  const std::vector<CanonicalTensor> tensors = canonical_tensors(first.trainer().stages());
  result.tensors = std::ssize(tensors);
  for (const CanonicalTensor& tensor : tensors) {
    result.numbers += tensor.shape.elements() * std::ssize(kSavedStates);
  }
  std::vector<Pair> pairs;
  for (const OtherExecution& other : others) pairs.emplace_back(other, first, options);
  const bool watches =
      options.activations && std::ranges::any_of(others, [](const auto& other) { return other.same_micro_batches; });

  const auto progress = listener.progress("comparing", options.steps, "steps");
  for (; result.steps < options.steps && std::ranges::any_of(pairs, &Pair::goes_on); ++result.steps) {
    std::vector<Pair*> under_way;
    for (Pair& pair : pairs) {
      if (pair.goes_on()) under_way.push_back(&pair);
    }
    StepValues values;
    const double loss = watches ? watched_step(first, values) : plain_step(first);
    for (Pair* pair : under_way) pair->step(loss, values);
    progress->advance();
  }
  progress->finish();
  result.fingerprint = fingerprint(first.trainer().stages(), first.trainer().state());
  for (Pair& pair : pairs) result.pairs.push_back(pair.take());
  return result;
}

}  // namespace phasor::run
