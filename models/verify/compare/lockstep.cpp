#include "models/verify/compare/lockstep.h"

#include <algorithm>

#include "models/checkpoint/fingerprint.h"
#include "models/verify/executions/watched_step.h"

namespace phasor::run {

VerifyResult run_lockstep(const std::string& name, EngineExecution& first, const std::vector<OtherExecution>& others,
                          const LockstepOptions& options, io::Listener& listener) {
  VerifyResult result{.name = name, .first_step = first.done()};
  const std::vector<CanonicalTensor> tensors = canonical_tensors(first.trainer().stages());
  result.tensors = std::ssize(tensors);
  for (const CanonicalTensor& tensor : tensors) {
    result.numbers += tensor.shape.elements() * std::ssize(kSavedStates);
  }
  std::vector<ExecutionPair> pairs;
  for (const OtherExecution& other : others) pairs.emplace_back(other, first, options);
  const bool watches = options.activations && std::ranges::any_of(others, &OtherExecution::shows_values);

  const auto progress = listener.progress("comparing", options.steps, "steps");
  for (; result.steps < options.steps && std::ranges::any_of(pairs, &ExecutionPair::goes_on); ++result.steps) {
    std::vector<ExecutionPair*> under_way;
    for (ExecutionPair& pair : pairs) {
      if (pair.goes_on()) under_way.push_back(&pair);
    }
    StepValues values;
    const double loss = watches ? watched_step(first, values) : plain_step(first);
    for (ExecutionPair* pair : under_way) pair->step(loss, values);
    progress->advance();
  }
  progress->finish();
  result.fingerprint = fingerprint(first.trainer().stages(), first.trainer().state());
  for (ExecutionPair& pair : pairs) result.pairs.push_back(pair.take());
  return result;
}

}  // namespace phasor::run
