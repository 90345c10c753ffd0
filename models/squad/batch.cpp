#include "models/squad/batch.h"

#include <algorithm>

#include "engine/base/error.h"
#include "models/bert/stages.h"

namespace phasor::run {

void DenseBatch::fill(const SquadFeatures& features, std::span<const std::int64_t> chosen, std::int64_t sequence,
                      float label_weight, std::int64_t counted) {
  const std::size_t samples = chosen.size(), tokens = samples * static_cast<std::size_t>(sequence);
  // Padding is of type 0; nobody attends to it.
  input_ids.assign(tokens, features.pad);
  token_type_ids.assign(tokens, 0);
  mask.assign(tokens, bert::kMasked);
  labels.assign(2 * samples, 0);
  label_weights.assign(2 * samples, 0);
  for (const std::size_t part : {std::size_t{0}, samples}) {  // starts, ends
    std::fill_n(label_weights.begin() + static_cast<std::ptrdiff_t>(part), counted, label_weight);
  }
  for (std::size_t i = 0; i < samples; ++i) {
    const std::int64_t feature = chosen[i], length = features.length(feature);
    ensure(length <= sequence, "squad: a feature of {} tokens in a sample of {}", length, sequence);
    const auto first = static_cast<std::ptrdiff_t>(i) * sequence;
    std::ranges::copy(features.tokens_of(feature), input_ids.begin() + first);
    std::fill(token_type_ids.begin() + first + features.context_begins[feature],
              token_type_ids.begin() + first + length, 1);
    std::fill_n(mask.begin() + first, length, 0.0f);
    labels[i] = features.starts[feature];
    labels[samples + i] = features.ends[feature];
  }
}

void DenseBatch::write(Trainer& trainer, int replica, int micro_batch) const {
  trainer.write_batch("input_ids", replica, micro_batch, std::span(input_ids));
  trainer.write_batch("token_type_ids", replica, micro_batch, std::span(token_type_ids));
  trainer.write_batch("mask", replica, micro_batch, std::span(mask));
  trainer.write_batch("labels", replica, micro_batch, std::span(labels));
  trainer.write_batch("label_weights", replica, micro_batch, std::span(label_weights));
}

}  // namespace phasor::run
