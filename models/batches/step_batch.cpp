#include "models/batches/step_batch.h"

#include <algorithm>

namespace phasor::run {

int StepLayout::micro_batches(std::int64_t all_rows) const {
  const std::int64_t together = replicas * rows;
  return static_cast<int>((all_rows + together - 1) / together);
}

namespace {

// Of a row, up to the last sample's end.
std::int64_t tokens_of(const Samples& samples, std::span<const Place> places) {
  std::int64_t tokens = 0;
  for (const Place& place : places) tokens = std::max(tokens, place.first + samples.tokens(place.sample));
  return tokens;
}

}  // namespace

int write_step(const Samples& samples, std::span<const std::int64_t> chosen, const StepLayout& layout,
               BatchTensors& tensors, Trainer& trainer) {
  ensure(!chosen.empty(), "training: a step without samples");
  std::int64_t labels = 0;
  for (const std::int64_t sample : chosen) labels += samples.labels(sample);
  std::vector<Place> places = place_in_rows(samples, chosen, layout.room);
  for (Place& place : places) place.label_weight = labels > 0 ? 1.0f / static_cast<float>(labels) : 0;
  const int micro_batches = layout.micro_batches(rows_of(places));
  deal_micro_batches(places, layout, micro_batches, [&](int replica, int m, std::span<const Place> dealt) {
    samples.fill(dealt, tensors);
    tensors.write(trainer, replica, m);
    trainer.write_tokens(replica, m, tokens_of(samples, dealt));
  });
  return micro_batches;
}

}  // namespace phasor::run
