// What run_training trains on.
#pragma once

#include "engine/base/random.h"
#include "models/batches/row_segments.h"
#include "models/batches/step_batch.h"
#include "tests/support/training_run.h"

namespace phasor::test {

// Sample s of a step, a function of (step, s): the same however the batch is divided.
class DrawnSamples : public run::Samples {
 public:
  DrawnSamples(const RunOptions& options, std::int64_t step) : options_(options), step_(step) {}

  std::int64_t size() const override { return options_.global_batch_size; }
  std::int64_t labels(std::int64_t) const override { return 2; }
  std::int64_t tokens(std::int64_t sample) const override {
    const std::int64_t longest = options_.model.sequence_length;
    return longest - draw(sample, -1) % (longest - options_.least_tokens() + 1);
  }
  std::string fingerprint() const override { return {}; }

  void fill(std::span<const run::Place> places, run::BatchTensors& tensors) const override {
    tensors.clear();
    const std::span<std::int32_t> ids = tensors.of<std::int32_t>("input_ids"),
                                  types = tensors.of<std::int32_t>("token_type_ids"),
                                  labels = tensors.of<std::int32_t>("labels");
    const std::span<float> weights = tensors.of<float>("label_weights");
    const std::vector<std::int64_t> segments = run::write_segments(places, *this, tensors);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& [sample, weight, row, first, number] = places[i];
      const std::int64_t length = tokens(sample), at = row * options_.model.sequence_length + first;
      for (std::int64_t token = 0; token < length; ++token) {
        ids[at + token] = static_cast<std::int32_t>(draw(sample, token) % options_.model.vocab_size);
        types[at + token] = token > 4 ? 1 : 0;
      }
      const std::int64_t half =
          length / 2;  // answers begin in the first and end in the second: there is something to learn
      const std::int64_t start = segments[i], end = std::ssize(labels) / 2 + start;
      labels[start] = static_cast<std::int32_t>(draw(sample, -2) % half);
      labels[end] = static_cast<std::int32_t>(half + draw(sample, -3) % (length - half));
      weights[start] = weights[end] = weight;
    }
  }

 private:
  std::int64_t draw(std::int64_t sample, std::int64_t i) const {
    return random_block(99, {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(sample),
                             static_cast<std::uint32_t>(step_), 7})[0];
  }

  const RunOptions& options_;
  std::int64_t step_;
};

}  // namespace phasor::test
