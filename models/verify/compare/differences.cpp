#include "models/verify/compare/differences.h"

#include "models/verify/values/value_observer.h"

namespace phasor::run {

namespace {

// Losses are sums of float32, in double; where they differ as float32, that tells more.
Numbers loss_numbers(double a, double b) {
  const Numbers single = numbers_of(static_cast<float>(a), static_cast<float>(b));
  return single.ulps > 0 ? single : numbers_of(a, b);
}

}  // namespace

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

VerifiedDifference difference_of_losses(double a, double b, const std::string& phase, std::int64_t step) {
  return {.place = {.step = step, .phase = phase, .tensor = "loss", .shape = {1}}, .numbers = loss_numbers(a, b)};
}

VerifiedDifference at_largest(VerifiedDifference difference, const Distance& distance) {
  difference.place.element = distance.largest_element();
  difference.numbers = distance.largest();
  return difference;
}

std::string phase_of_loss(const Pipeline& pipeline) {
  for (const Phase& phase : pipeline.devices.back().phases) {
    if (phase.section == Section::step && phase.name.starts_with("gradient ")) return phase_text(phase);
  }
  return {};
}

}  // namespace phasor::run
