// One micro-batch of a batch.
#pragma once

#include <cstddef>
#include <vector>

#include "models/own/batch.h"

namespace phasor::own {

class MicroBatch {
 public:
  // `size` samples of the batch from number `first` on. Where fewer are left, copies of the last one fill it. The batch
  // has one sample behind `first` at least, all its arrays the same number of them, and outlives this.
  MicroBatch(const Batch& batch, std::int64_t size, std::int64_t first);

  const Batch& arrays() const { return arrays_; }
  std::int64_t samples() const { return samples_; }  // that are of the batch

 private:
  std::int64_t samples_ = 0;
  Batch arrays_;  // views of the batch, or of what is filled
  std::vector<std::vector<std::byte>> filled_;
};

}  // namespace phasor::own
