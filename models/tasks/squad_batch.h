// Features as the dense tensors of a step.
#pragma once

#include <cstdint>
#include <span>

#include "models/tasks/squad_features.h"

namespace phasor::tasks {

// Added to the attention scores of a key that is padding.
inline constexpr float kMaskedScore = -10000;

// Where a batch goes. The caller owns the memory; `sequence` is sequence_length of the features' settings or more.
struct SquadBatch {
  std::span<std::int32_t> tokens;       // [batch, sequence] ids, [PAD] behind the feature's end
  std::span<std::int32_t> token_types;  // [batch, sequence] 0 for [CLS] question [SEP] and padding, 1 for window [SEP]
  std::span<std::int32_t> positions;    // [batch, sequence] 0, 1, 2, ...
  std::span<float> mask;                // [batch, sequence] 0 for tokens, kMaskedScore for padding
  std::span<std::int32_t> starts;       // [batch]
  std::span<std::int32_t> ends;         // [batch]
};

// Row i of the batch is features[chosen[i]]. Lists of the batch that are empty are left out.
void fill_squad_batch(const SquadFeatures& features, std::span<const std::int64_t> chosen, std::int32_t pad,
                      const SquadBatch& batch);

}  // namespace phasor::tasks
