// Micro-batches of fewer tokens: what those are given that their samples do not fill.
#pragma once

#include <cstdint>
#include <vector>

#include "models/layers/micro_batch.h"

namespace phasor::layers {

// Of a micro-batch of one row, in rising order: those whose row has a multiple of a thirty-second of its tokens,
// without itself; a multiple of 16 tokens, which is what a vector of floats holds, in the place of the thirty-second.
// Half of it is computed on padding in the mean; each takes a program more, a few milliseconds of preparation.
inline std::vector<MicroBatch> narrow_rows(MicroBatch batch, std::int64_t sequence_length) {
  constexpr std::int64_t kParts = 32, kMultiple = 16;
  const std::int64_t tokens = batch.tokens_of_row(sequence_length);
  const std::int64_t step = (tokens + kParts * kMultiple - 1) / (kParts * kMultiple) * kMultiple;
  std::vector<MicroBatch> narrow;
  for (batch.narrow_tokens = step; batch.narrow_tokens < tokens; batch.narrow_tokens += step) narrow.push_back(batch);
  return narrow;
}

}  // namespace phasor::layers
