#include "models/run/samples.h"

#include <algorithm>

namespace phasor::run {

int StepLayout::micro_batches(std::int64_t samples) const {
  const std::int64_t together = replicas * micro_batch_size;
  return static_cast<int>((samples + together - 1) / together);
}

int write_step(const Samples& samples, std::span<const std::int64_t> chosen, const StepLayout& layout,
               BatchTensors& tensors, Trainer& trainer) {
  ensure(!chosen.empty(), "training: a step without samples");
  std::int64_t labels = 0;
  for (const std::int64_t sample : chosen) labels += samples.labels(sample);
  const float label_weight = labels > 0 ? 1.0f / static_cast<float>(labels) : 0;
  const int micro_batches = layout.micro_batches(std::ssize(chosen));
  std::vector<Place> places(static_cast<std::size_t>(layout.micro_batch_size));
  std::size_t next = 0;  // of the chosen
  for (int replica = 0; replica < layout.replicas; ++replica) {
    for (int m = 0; m < micro_batches; ++m) {
      for (Place& place : places) {
        place = next < chosen.size() ? Place{chosen[next], label_weight} : Place{chosen.back(), 0};
        ++next;
      }
      samples.fill(places, tensors);
      tensors.write(trainer, replica, m);
    }
  }
  return micro_batches;
}

}  // namespace phasor::run
