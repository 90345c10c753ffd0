// In which order samples are trained on: every epoch a permutation of its own, a function of (seed, epoch).
#pragma once

#include <cstdint>
#include <vector>

namespace phasor::run {

class DataOrder {
 public:
  DataOrder(std::uint64_t seed, std::int64_t samples) : seed_(seed), samples_(samples) {}

  // The sample at `position`, which counts from the start of the first epoch. Not for two threads at once.
  std::int64_t sample_at(std::int64_t position);

 private:
  std::uint64_t seed_;
  std::int64_t samples_;
  std::int64_t epoch_ = -1;  // of the permutation
  std::vector<std::int64_t> permutation_;
};

}  // namespace phasor::run
