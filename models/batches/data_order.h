// In which order samples are trained on, and which of them a step takes: every epoch is a permutation of its own, a
// function of (seed, epoch), and no step crosses its end, so that each sees every sample once.
#pragma once

#include <cstdint>
#include <vector>

namespace phasor::run {

class DataOrder {
 public:
  DataOrder(std::uint64_t seed, std::int64_t samples) : seed_(seed), samples_(samples) {}

  // The sample at `position`, which counts from the start of the first epoch. Not for two threads at once.
  std::int64_t sample_at(std::int64_t position);

  // Makes `chosen` the samples of the step that begins at `position`, in their order. Likewise.
  void choose(std::int64_t position, std::int64_t batch, std::vector<std::int64_t>& chosen);

  // How many samples the step takes that begins at `position`: a batch, or what is left of the epoch.
  std::int64_t samples_of_step(std::int64_t position, std::int64_t batch) const;

 private:
  std::uint64_t seed_;
  std::int64_t samples_;
  std::int64_t epoch_ = -1;  // of the permutation
  std::vector<std::int64_t> permutation_;
};

// How many steps so many passes over the data take, one at least. Of a pass that is not whole, as many as are whole
// batches of its part.
std::int64_t steps_of_epochs(double epochs, std::int64_t samples, std::int64_t batch);

}  // namespace phasor::run
