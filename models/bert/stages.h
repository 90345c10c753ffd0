// BERT with a span head for question answering, as stages: word embedding, embedding, layer x L, head. Post-layer-norm;
// variables and their names as in Transformers' BertForQuestionAnswering, but for queries, keys and values, which are
// one matrix.
#pragma once

#include "engine/ir/stage.h"
#include "models/bert/config.h"

namespace phasor::bert {

// Batch tensors, with B samples of S tokens a micro-batch:
//   input_ids, token_type_ids  i32 [B, S]
//   mask                       f32 [B, S]: 0 at a token, kMasked at padding
//   labels                     i32 [2 B]: start positions, then end positions
//   label_weights              f32 [2 B]: of each label in the loss; 0 ignores it
inline constexpr float kMasked = -1e30f;

// With dropout and a loss = sum over labels of weight * cross-entropy.
// The table of words is in at most `embedding_slices` slices, of which the device holds one at a time; 1, the table
// itself, for monolithic execution.
Stages training_stages(const Config& config, std::int64_t micro_batch_size, std::int64_t embedding_slices = 1);

// Without; the result "logits" f32 [2 B, S] holds start logits, then end logits.
Stages inference_stages(const Config& config, std::int64_t micro_batch_size, std::int64_t embedding_slices = 1);

}  // namespace phasor::bert
