// Features as samples; shapes and meaning of the tensors as models/bert/stages.h has them.
#pragma once

#include "models/batches/samples.h"
#include "models/squad/features.h"

namespace phasor::squad {

class FeatureSamples : public run::Samples {
 public:
  explicit FeatureSamples(Features features) : features_(std::move(features)) {}

  const Features& features() const { return features_; }

  std::int64_t size() const override { return features_.size(); }
  std::int64_t labels(std::int64_t) const override { return 2; }  // a start and an end
  std::int64_t tokens(std::int64_t sample) const override { return features_.length(sample); }
  void fill(std::span<const run::Place> places, run::BatchTensors& tensors) const override;
  std::string fingerprint() const override;

 private:
  void fill_tokens(std::span<const run::Place> places, run::BatchTensors& tensors) const;
  void fill_labels(std::span<const run::Place> places, std::span<const std::int64_t> segments,
                   run::BatchTensors& tensors) const;

  Features features_;
};

}  // namespace phasor::squad
