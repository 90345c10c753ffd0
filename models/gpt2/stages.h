// GPT-2 as stages: word embedding, embedding, layer x L, head. Pre-layer-norm, and the head is the table of words;
// variables, their names and shapes as in Transformers' GPT2LMHeadModel, whose linear layers are stored
// [inputs, outputs].
#pragma once

#include "engine/ir/stage.h"
#include "models/gpt2/config.h"
#include "models/layers/micro_batch.h"

namespace phasor::gpt2 {

// Batch tensors, with B rows of S tokens a micro-batch, each of N segments at most:
//   input_ids      i32 [B, S]
//   segments       i32 [B, N, 3]: whose the tokens are (engine/base/segments.h); a token sees those of its segment up
//   to
//                  itself, whose positions begin at 0
//   labels         i32 [B, S]: the token that follows each
//   label_weights  f32 [B, S]: of each label in the loss; 0 ignores it

// With dropout and a loss = sum over tokens of weight * cross-entropy of the token that follows.
// The table of words, and with it the head, is in at most `slices` slices, of which the device holds one at a time; 1,
// the table itself, for monolithic execution. The logits of all tokens exist at no time.
Stages training_stages(const Config& config, layers::MicroBatch batch, std::int64_t slices = 1);

// Without; the result "sums" f32 [B S, 3] holds of each token's logits the greatest, the sum of exp(logit - greatest),
// and the label's.
Stages inference_stages(const Config& config, layers::MicroBatch batch, std::int64_t slices = 1);

}  // namespace phasor::gpt2
