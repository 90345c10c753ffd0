// Samples of a data set as a model takes them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/train/trainer.h"
#include "models/run/batch_tensors.h"

namespace phasor::run {

// What stands in one place of a micro-batch.
struct Place {
  std::int64_t sample = 0;
  float label_weight = 0;  // of each of its labels in the loss; 0: the place is only filled
};

class Samples {
 public:
  virtual ~Samples() = default;

  virtual std::int64_t size() const = 0;
  // How many labels of the sample count in a loss.
  virtual std::int64_t labels(std::int64_t sample) const = 0;
  // Sets every element of the tensors that the model has: one place for each sample of the micro-batch.
  virtual void fill(std::span<const Place> places, BatchTensors& tensors) const = 0;
  // A hash of everything that training takes from the samples, as 32 hexadecimal digits: the same for the same samples
  // in the same order, wherever they come from.
  virtual std::string fingerprint() const = 0;
};

// How the samples of a step are dealt: in turn to the replicas, to each as many micro-batches as to the others.
struct StepLayout {
  int replicas = 1;
  std::int64_t micro_batch_size = 1;  // samples

  // Of each replica, to hold so many samples.
  int micro_batches(std::int64_t samples) const;
};

// Makes `chosen`, one sample at least, in this order the trainer's next batch; returns how many micro-batches of each
// replica it takes. A label weighs 1 / labels of all of them. Places behind the last sample are filled with it.
// `tensors` are the trainer's, and overwritten.
int write_step(const Samples& samples, std::span<const std::int64_t> chosen, const StepLayout& layout,
               BatchTensors& tensors, Trainer& trainer);

}  // namespace phasor::run
