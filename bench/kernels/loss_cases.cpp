// Cross-entropy as for masked language modelling: 256 predictions over the vocabulary.
#include "bench/kernels/table.h"
#include "engine/kernels/loss.h"
#include "engine/kernels/reference/loss.h"

namespace phasor::bench {

namespace {

constexpr std::int64_t kPredictions = 256, kLogits = kPredictions * kVocabulary;

KernelCase cross_entropy_case() {
  const Floats logits = uniform(1, kLogits), weights = uniform(2, kPredictions, 0), loss(1);
  const auto labels = random_ids(3, kPredictions, kVocabulary);
  return {.limit = Limit::memory,
          .work = bytes_of(kLogits),
          .run = [=] { kernels::cross_entropy(logits.in(), labels, weights.in(), loss.out()); },
          .compare =
              [=] {
                Doubles out(1);
                reference::cross_entropy<double>(widen(logits), labels, widen(weights), out);
                return std::vector{Comparison{widen(loss), out}};
              }};
}

KernelCase cross_entropy_gradient_case() {
  const Floats logits = uniform(1, kLogits), weights = uniform(2, kPredictions, 0), dloss = uniform(4, 1),
               dlogits(kLogits);
  const auto labels = random_ids(3, kPredictions, kVocabulary);
  return {.limit = Limit::memory,
          .work = bytes_of(2 * kLogits),
          .run = [=] { kernels::cross_entropy_gradient(logits.in(), labels, weights.in(), dloss.in(), dlogits.out()); },
          .compare =
              [=] {
                Doubles out(kLogits);
                reference::cross_entropy_gradient<double>(widen(logits), labels, widen(weights), widen(dloss), out);
                return std::vector{Comparison{widen(dlogits), out}};
              }};
}

}  // namespace

KernelEntries loss_cases() {
  return {{"cross_entropy", [](int) { return cross_entropy_case(); }},
          {"cross_entropy_gradient", [](int) { return cross_entropy_gradient_case(); }}};
}

}  // namespace phasor::bench
