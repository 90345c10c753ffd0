// Trains a small model, a BERT unless told otherwise, on made-up batches and returns everything that a run computes,
// for comparison to the bit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/train/trainer.h"
#include "models/batches/packing.h"
#include "models/bert/stages.h"
#include "tests/support/sanitized.h"

namespace phasor::test {

struct RunOptions {
  bert::Config model{.layers = 3,
                     .hidden_size = 24,
                     .heads = 3,
                     .intermediate_size = 40,
                     .sequence_length = 13,
                     .max_positions = 16,
                     .vocab_size = 37};
  // Another model, with the rows of `model`, and what it trains on in a step; none: `model`, on DrawnSamples.
  std::function<Stages(layers::MicroBatch)> stages;
  std::function<std::unique_ptr<run::Samples>(int step)> samples;
  OptimizerOptions optimizer{.bias_correction = true};
  ExecutionOptions execution;
  std::int64_t embedding_slices = 1;
  std::int64_t global_batch_size = 48;         // divided over replicas and micro-batches
  std::vector<std::int64_t> samples_of_steps;  // at most that many; none: that many in all steps
  std::int64_t shortest_sample = 0;            // tokens; 0: three less than a row
  std::int64_t samples_of_sequence = 1;        // at most, in as many tokens as a row of `model`; more than one: packed
  bool narrow_rows = true;                     // of packed samples, for micro-batches that are not full
  int steps = test::kSanitized ? 3 : 10;
  std::uint64_t seed = 1234;
  float learning_rate = 1e-3f;
  float loss_scale = 1;
  Strategy strategy = Strategy::best;
  int trace_steps = 0;               // Runner::start_trace before the first
  int first_step = 0;                // of `steps`
  CallObserver* observer = nullptr;  // of the first replica's first device
  // What the run starts from instead of the seed's weights, and what becomes of its state at the end.
  std::function<void(const Stages&, ModelState&)> start;
  std::function<void(const Stages&, const ModelState&)> finish;
  std::function<void(int)> before_step, after_step;  // called around the steps themselves, without their batches

  std::int64_t samples_of(int step) const {
    return samples_of_steps.empty() ? global_batch_size : samples_of_steps[static_cast<std::size_t>(step)];
  }
  // As a run has them: packed samples share one row, as long as `rows`.
  layers::MicroBatch micro_batch(std::int64_t rows) const {
    return samples_of_sequence == 1 ? layers::MicroBatch(rows)
                                    : layers::MicroBatch(1, rows * samples_of_sequence, rows);
  }
  run::RowRoom room(std::int64_t rows) const {
    const layers::MicroBatch batch = micro_batch(rows);
    return {.tokens = batch.tokens_of_row(model.sequence_length), .samples = batch.samples_of_row};
  }
  std::int64_t least_tokens() const { return shortest_sample > 0 ? shortest_sample : model.sequence_length - 3; }
};

struct RunResult {
  std::vector<double> losses;
  std::vector<std::vector<float>> state;                      // weight, moment1, moment2 of every canonical tensor
  std::vector<std::string> names;                             // of the state's tensors
  std::vector<int> micro_batches;                             // of each replica, that each step ran
  std::int64_t planned_peak_bytes = 0, high_water_bytes = 0;  // of the fullest device
  std::vector<std::int64_t> planned_bytes_of_devices, high_water_bytes_of_devices;

  friend bool operator==(const RunResult& a, const RunResult& b) { return a.losses == b.losses && a.state == b.state; }
};

RunResult run_training(const RunOptions& options);

// The same with the variables in files of `directory`.
RunResult run_training_on_files(const RunOptions& options, const std::string& directory);

// "" if the two are equal to the bit, else the first difference.
std::string first_difference(const RunResult& a, const RunResult& b);

}  // namespace phasor::test
