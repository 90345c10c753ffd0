// The kinds of stage that GPT-2 is made of.
#pragma once

#include "engine/ir/stage_builder.h"
#include "models/gpt2/config.h"
#include "models/gpt2/generation.h"
#include "models/layers/micro_batch.h"

namespace phasor::gpt2 {

inline constexpr const char* kPrefix = "transformer.";
inline constexpr const char* kWordEmbedding = "word_embedding";  // the stage, and its table of words
inline constexpr const char* kWords = "wte.weight";

// Sizes of the activations that stages pass on: [rows, sequence, hidden].
TensorSpec activation_spec(const Config& config, layers::MicroBatch batch);

// Entries of each of at most so many slices of the table of words: whole blocks of the head's, or the whole table.
std::int64_t entries_of_slice(const Config& config, std::int64_t slices);
// Makes the stage that of slices of the table, where they are not the whole.
void slice_stage(Stage& stage, const Config& config, std::int64_t entries);

Stage word_embedding_stage(const Config& config, layers::MicroBatch batch, std::int64_t slices);
// Adds those of positions.
Stage embedding_stage(const Config& config, layers::MicroBatch batch, bool training);
Stage layer_stage(const Config& config, layers::MicroBatch batch, bool training);

// The same for sequences that go on (generation.h): [rows, tokens, hidden].
TensorSpec new_tokens_spec(const Config& config, const GenerationShape& shape);
Value batch_places(StageBuilder& b, const GenerationShape& shape);
Value batch_last(StageBuilder& b, const GenerationShape& shape);
Stage placed_embedding_stage(const Config& config, const GenerationShape& shape);
Stage cached_layer_stage(const Config& config, const GenerationShape& shape);
Stages logits_stages(const Config& config, const GenerationShape& shape, std::int64_t slices);

// The head, all that is behind the layers: one stage or, where the table is in slices, three.
Stages head_stages(const Config& config, layers::MicroBatch batch, std::int64_t slices, bool training);

}  // namespace phasor::gpt2
