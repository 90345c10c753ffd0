// Features as samples; shapes and meaning of the tensors as models/bert/stages.h has them.
#pragma once

#include "models/run/samples.h"
#include "models/squad/features.h"

namespace phasor::squad {

class FeatureSamples : public run::Samples {
 public:
  explicit FeatureSamples(Features features) : features_(std::move(features)) {}

  const Features& features() const { return features_; }

  std::int64_t size() const override { return features_.size(); }
  std::int64_t labels(std::int64_t) const override { return 2; }  // a start and an end
  // Features are padded to the model's sequence.
  void fill(std::span<const run::Place> places, run::BatchTensors& tensors) const override;
  std::string fingerprint() const override;

 private:
  void fill_tokens(std::span<const run::Place> places, run::BatchTensors& tensors) const;
  void fill_labels(std::span<const run::Place> places, run::BatchTensors& tensors) const;

  Features features_;
};

}  // namespace phasor::squad
