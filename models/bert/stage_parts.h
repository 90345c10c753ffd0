// The kinds of stage that BERT is made of.
#pragma once

#include "engine/ir/stage_builder.h"
#include "models/bert/config.h"
#include "models/layers/micro_batch.h"

namespace phasor::bert {

// Sizes of the activations that stages pass on: [rows, sequence, hidden].
TensorSpec activation_spec(const Config& config, layers::MicroBatch batch);

// Rows of the table of words, in at most `slices` slices of as many entries each.
Stage word_embedding_stage(const Config& config, layers::MicroBatch batch, std::int64_t slices);
// Adds those of positions and types.
Stage embedding_stage(const Config& config, layers::MicroBatch batch, bool training);
Stage layer_stage(const Config& config, layers::MicroBatch batch, bool training);
Stage head_stage(const Config& config, layers::MicroBatch batch, bool training);

}  // namespace phasor::bert
