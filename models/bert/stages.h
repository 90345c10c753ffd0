// BERT with a span head for question answering, as stages: word embedding, embedding, layer x L, head. Post-layer-norm;
// variables and their names as in Transformers' BertForQuestionAnswering, but for queries, keys and values, which are
// one matrix.
#pragma once

#include "engine/ir/stage.h"
#include "models/bert/config.h"
#include "models/layers/micro_batch.h"

namespace phasor::bert {

// Batch tensors, with B rows of S tokens a micro-batch, each of N samples at most:
//   input_ids, token_type_ids  i32 [B, S]
//   segments                   i32 [B, N, 3]: whose the tokens are (engine/base/segments.h). A sample sees itself
//   alone:
//                              it is attended to by its own tokens, its positions begin at 0, its dropout does not
//                              depend on where it stands
//   labels                     i32 [2 B, N]: start positions of the row's segments, then end positions, counted from
//   the
//                              segment's first token
//   label_weights              f32 [2 B, N]: of each label in the loss; 0 ignores it

// With dropout and a loss = sum over labels of weight * cross-entropy over the sample's own tokens.
// The table of words is in at most `embedding_slices` slices, of which the device holds one at a time; 1, the table
// itself, for monolithic execution.
Stages training_stages(const Config& config, layers::MicroBatch batch, std::int64_t embedding_slices = 1);

// Without; the result "logits" f32 [2 B, S] holds start logits of all rows, then end logits.
Stages inference_stages(const Config& config, layers::MicroBatch batch, std::int64_t embedding_slices = 1);

}  // namespace phasor::bert
