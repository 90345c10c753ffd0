// What a micro-batch has room for: the first dimensions of a model's tensors.
#pragma once

#include <cstdint>

namespace phasor::layers {

struct MicroBatch {
  // A number alone is that of rows with one sample each.
  MicroBatch(std::int64_t count, std::int64_t samples = 1) : rows(count), samples_of_row(samples) {}

  std::int64_t rows;
  std::int64_t samples_of_row;  // at most; more than one share a row of tokens
};

}  // namespace phasor::layers
