// What a micro-batch has room for: the first dimensions of a model's tensors.
#pragma once

#include <cstdint>

namespace phasor::layers {

struct MicroBatch {
  // A number alone is that of rows with one sample each.
  MicroBatch(std::int64_t count, std::int64_t samples = 1, std::int64_t sequences = 1)
      : rows(count), samples_of_row(samples), sequences_of_row(sequences) {}

  // Of a model whose samples have so many tokens at most.
  std::int64_t tokens_of_row(std::int64_t sequence_length) const {
    return narrow_tokens > 0 ? narrow_tokens : sequences_of_row * sequence_length;
  }

  std::int64_t rows;
  std::int64_t samples_of_row;     // at most; more than one share a row of tokens
  std::int64_t sequences_of_row;   // as many times the tokens of the longest sample has a row
  std::int64_t narrow_tokens = 0;  // of a row, where its samples take so few of them; 0: it is whole
};

}  // namespace phasor::layers
