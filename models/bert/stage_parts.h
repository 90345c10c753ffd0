// The kinds of stage that BERT is made of.
#pragma once

#include "engine/ir/stage.h"
#include "models/bert/config.h"

namespace phasor::bert {

// Sizes of the activations that stages pass on: [batch, sequence, hidden].
TensorSpec activation_spec(const Config& config, std::int64_t batch);

// Rows of the table of words, in at most `slices` slices of as many entries each.
Stage word_embedding_stage(const Config& config, std::int64_t batch, std::int64_t slices);
// Adds those of positions and types.
Stage embedding_stage(const Config& config, std::int64_t batch, bool training);
Stage layer_stage(const Config& config, std::int64_t batch, bool training);
Stage head_stage(const Config& config, std::int64_t batch, bool training);

}  // namespace phasor::bert
