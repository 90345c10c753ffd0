// GPT-2 as stages that go on with sequences, a few tokens at a time: those of stages.h in their order and with their
// variables, but that each layer carries the keys and values of the tokens so far (Stage::carried) from run to run.
#pragma once

#include "engine/ir/stage.h"
#include "models/gpt2/config.h"

namespace phasor::gpt2 {

// `rows` sequences a micro-batch, of `room` tokens at most (not beyond max_positions), `tokens` of which may be new in
// a run. What is carried depends on rows and room alone: programs for other numbers of new tokens go on with the same
// sequences.
struct GenerationShape {
  std::int64_t rows = 1, tokens = 1, room = 0;
};

// Batch tensors:
//   input_ids  i32 [rows, tokens]
//   places     i32 [rows, tokens]: of each token in its sequence, from 0 on; one behind the other
//   last       i32 [rows]: the number of the last new token of each row; -1: the row has none. Tokens behind it are
//              nobody's: any ids, and any places up to max_positions
// The result "logits" f32 [rows, vocab_size]: of the token that follows `last`.
// The table of words is in at most `slices` slices, as in stages.h.
Stages generation_stages(const Config& config, const GenerationShape& shape, std::int64_t slices = 1);

}  // namespace phasor::gpt2
