#include "models/squad/samples.h"

#include <algorithm>
#include <xxhash.h>

#include "models/bert/stages.h"

namespace phasor::squad {

void FeatureSamples::fill(std::span<const run::Place> places, run::BatchTensors& tensors) const {
  fill_tokens(places, tensors);
  if (tensors.has("labels")) fill_labels(places, tensors);
}

void FeatureSamples::fill_tokens(std::span<const run::Place> places, run::BatchTensors& tensors) const {
  const std::span<std::int32_t> ids = tensors.of<std::int32_t>("input_ids");
  const std::span<std::int32_t> types = tensors.of<std::int32_t>("token_type_ids");
  const std::span<float> mask = tensors.of<float>("mask");
  const std::int64_t sequence = tensors.shape("input_ids")[1];
  // Padding is of type 0; nobody attends to it.
  std::ranges::fill(ids, features_.pad);
  std::ranges::fill(types, 0);
  std::ranges::fill(mask, bert::kMasked);
  auto first = std::ptrdiff_t{0};  // token of the place
  for (const run::Place& place : places) {
    const std::int64_t length = features_.length(place.sample);
    ensure(length <= sequence, "squad: a feature of {} tokens in a sample of {}", length, sequence);
    std::ranges::copy(features_.tokens_of(place.sample), ids.begin() + first);
    std::fill(types.begin() + first + features_.context_begins[place.sample], types.begin() + first + length, 1);
    std::fill_n(mask.begin() + first, length, 0.0f);
    first += sequence;
  }
}

// Starts of all places, then their ends.
void FeatureSamples::fill_labels(std::span<const run::Place> places, run::BatchTensors& tensors) const {
  const std::span<std::int32_t> labels = tensors.of<std::int32_t>("labels");
  const std::span<float> weights = tensors.of<float>("label_weights");
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [sample, weight] = places[i];
    labels[i] = features_.starts[sample];
    labels[places.size() + i] = features_.ends[sample];
    weights[i] = weights[places.size() + i] = weight;
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
