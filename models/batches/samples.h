// Samples of a data set as a model takes them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "models/batches/batch_tensors.h"

namespace phasor::run {

// Where a sample stands in a micro-batch.
struct Place {
  std::int64_t sample = 0;
  float label_weight = 0;   // of each of its labels in the loss
  std::int64_t row = 0;     // of the micro-batch
  std::int64_t first = 0;   // its first token in the row
  std::int64_t number = 0;  // among the step's samples, which its random draws follow from, less that which a sample of
                            // the micro-batch's first row would have if every row had one
};

class Samples {
 public:
  virtual ~Samples() = default;

  virtual std::int64_t size() const = 0;
  // How many labels of the sample count in a loss.
  virtual std::int64_t labels(std::int64_t sample) const = 0;
  // How many tokens it takes of a row, where samples are made of tokens.
  virtual std::int64_t tokens(std::int64_t /*sample*/) const { return 0; }
  // Sets every element of the tensors that the model has. Places are in the order of rows, and of tokens in a row. What
  // no sample takes is padding, and has labels of weight 0.
  virtual void fill(std::span<const Place> places, BatchTensors& tensors) const = 0;
  // A hash of everything that training takes from the samples, as 32 hexadecimal digits: the same for the same samples
  // in the same order, wherever they come from.
  virtual std::string fingerprint() const = 0;
};

}  // namespace phasor::run
