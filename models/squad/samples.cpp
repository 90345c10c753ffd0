#include "models/squad/samples.h"

#include <algorithm>
#include <xxhash.h>

#include "models/batches/row_segments.h"

namespace phasor::squad {

void FeatureSamples::fill(std::span<const run::Place> places, run::BatchTensors& tensors) const {
  tensors.clear();
  fill_tokens(places, tensors);
  const std::vector<std::int64_t> segments = run::write_segments(places, *this, tensors);
  if (tensors.has("labels")) fill_labels(places, segments, tensors);
}

// Padding is of type 0.
void FeatureSamples::fill_tokens(std::span<const run::Place> places, run::BatchTensors& tensors) const {
  const std::span<std::int32_t> ids = tensors.of<std::int32_t>("input_ids");
  const std::span<std::int32_t> types = tensors.of<std::int32_t>("token_type_ids");
  const std::int64_t sequence = tensors.shape("input_ids")[1];
  std::ranges::fill(ids, features_.pad);
  for (const run::Place& place : places) {
    const std::int64_t length = features_.length(place.sample), first = place.row * sequence + place.first;
    ensure(place.first + length <= sequence, "squad: a feature of {} tokens behind {} of {}", length, place.first,
           sequence);
    std::ranges::copy(features_.tokens_of(place.sample), ids.begin() + first);
    std::fill(types.begin() + first + features_.context_begins[place.sample], types.begin() + first + length, 1);
  }
}

// Starts of all segments, then their ends.
void FeatureSamples::fill_labels(std::span<const run::Place> places, std::span<const std::int64_t> segments,
                                 run::BatchTensors& tensors) const {
  const std::span<std::int32_t> labels = tensors.of<std::int32_t>("labels");
  const std::span<float> weights = tensors.of<float>("label_weights");
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int64_t start = segments[i], end = std::ssize(labels) / 2 + start;
    labels[start] = features_.starts[places[i].sample];
    labels[end] = features_.ends[places[i].sample];
    weights[start] = weights[end] = places[i].label_weight;
  }
}

std::string FeatureSamples::fingerprint() const {
  XXH128_hash_t hash{};
  const auto take = [&]<class T>(const std::vector<T>& list) {
    const XXH128_hash_t parts[] = {hash, XXH3_128bits(list.data(), list.size() * sizeof(T))};
    hash = XXH3_128bits(parts, sizeof(parts));
  };
  take(features_.rows);
  take(features_.tokens);
  take(features_.context_begins);
  take(features_.starts);
  take(features_.ends);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace phasor::squad
