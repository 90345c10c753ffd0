// Made-up text for language models: samples of tokens in which what follows a token depends on it.
#pragma once

#include "engine/base/random.h"
#include "models/batches/row_segments.h"
#include "models/batches/samples.h"

namespace phasor::test {

// Sample s of a step, a function of (step, s): the same however the batch is divided. Every token but the last has the
// next one as its label.
class DrawnText : public run::Samples {
 public:
  struct Sizes {
    std::int64_t samples = 0, vocabulary = 0;
    std::int64_t shortest = 0, longest = 0;  // tokens; rows have `longest`
  };
  DrawnText(const Sizes& sizes, std::int64_t step) : sizes_(sizes), step_(step) {}

  std::int64_t size() const override { return sizes_.samples; }
  std::int64_t labels(std::int64_t sample) const override { return tokens(sample) - 1; }
  std::int64_t tokens(std::int64_t sample) const override {
    return sizes_.longest - draw(sample, -1) % (sizes_.longest - sizes_.shortest + 1);
  }
  std::string fingerprint() const override { return {}; }

  void fill(std::span<const run::Place> places, run::BatchTensors& tensors) const override {
    tensors.clear();
    const std::span<std::int32_t> ids = tensors.of<std::int32_t>("input_ids"),
                                  labels = tensors.of<std::int32_t>("labels");
    const std::span<float> weights = tensors.of<float>("label_weights");
    if (tensors.has("segments")) run::write_segments(places, *this, tensors);
    for (const run::Place& place : places) {
      const std::int64_t length = tokens(place.sample), at = place.row * sizes_.longest + place.first;
      for (std::int64_t i = 0; i < length; ++i) ids[at + i] = token(place.sample, i);
      for (std::int64_t i = 0; i + 1 < length; ++i) {
        labels[at + i] = token(place.sample, i + 1);
        weights[at + i] = place.label_weight;
      }
    }
  }

 private:
  // Counts up from a drawn one, but for every third, which is drawn.
  std::int32_t token(std::int64_t sample, std::int64_t i) const {
    return static_cast<std::int32_t>((draw(sample, i - i % 3) + i % 3) % sizes_.vocabulary);
  }
  std::int64_t draw(std::int64_t sample, std::int64_t i) const {
    return random_block(99, {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(sample),
                             static_cast<std::uint32_t>(step_), 8})[0];
  }

  Sizes sizes_;
  std::int64_t step_;
};

}  // namespace phasor::test
