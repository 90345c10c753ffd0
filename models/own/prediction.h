// What a model of one's own says of a batch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/train/predictor.h"
#include "models/config/resolved_run.h"
#include "models/own/batch.h"

namespace phasor::own {

// By name, those of all samples one behind the other.
using Results = std::map<std::string, std::vector<float>>;

class Prediction {
 public:
  // `stages`: without a loss. Any number of samples: copies of the last one fill the last micro-batch, and what they
  // come to is left out; where a result is not of so many parts as there are samples, whole micro-batches only. What
  // does not fit is a UserError. The batch outlives this.
  Prediction(const Stages& stages, const Batch& batch, const run::ResolvedRun& run);

  // Weights, by canonical name: all are written before it runs.
  std::vector<CanonicalTensor> tensors() const { return canonical_tensors(predictor_.stages()); }
  void write(const CanonicalTensor& tensor, std::span<const float> values) {
    predictor_.state().write(StateKind::weight, tensor, values);
  }

  Results run();

 private:
  std::int64_t micro_batches() const { return (samples_ + size_ - 1) / size_; }

  const Batch& batch_;
  std::int64_t samples_, size_;  // size of a micro-batch
  ExecutionOptions execution_;
  Machine machine_;
  Predictor predictor_;
};

}  // namespace phasor::own
