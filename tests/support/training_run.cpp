#include "tests/support/training_run.h"

#include <bit>

#include "engine/base/random.h"

namespace phasor::testing {

namespace {

// A sample of the global batch as a function of (step, sample): the same however the batch is divided.
struct Sample {
  std::vector<std::int32_t> ids, types;
  std::vector<float> mask;
  std::int32_t start = 0, end = 0;
};

Sample make_sample(const bert::Config& model, std::int64_t step, std::int64_t sample) {
  const auto draw = [&](std::int64_t i) {
    return random_block(99, {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(sample),
                             static_cast<std::uint32_t>(step), 7})[0];
  };
  const std::int64_t length = model.sequence_length - draw(-1) % 4;
  Sample result;
  for (std::int64_t i = 0; i < model.sequence_length; ++i) {
    const bool real = i < length;
    result.ids.push_back(real ? static_cast<std::int32_t>(draw(i) % static_cast<std::uint32_t>(model.vocab_size)) : 0);
    result.types.push_back(real && i > 4 ? 1 : 0);
    result.mask.push_back(real ? 0 : bert::kMasked);
  }
  result.start = static_cast<std::int32_t>(draw(-2) % static_cast<std::uint32_t>(length));
  result.end = static_cast<std::int32_t>(draw(-3) % static_cast<std::uint32_t>(length));
  return result;
}

// Returns the number of micro-batches of each replica.
int write_batch(Trainer& trainer, const RunOptions& options, std::int64_t micro_batch_size, std::int64_t step) {
  const ExecutionOptions& execution = options.execution;
  const std::int64_t samples = options.samples_of_steps.empty()
                                   ? options.global_batch_size
                                   : options.samples_of_steps[static_cast<std::size_t>(step)];
  const std::int64_t together = execution.replicas * micro_batch_size;
  const int micro_batches = static_cast<int>((samples + together - 1) / together);
  for (int replica = 0; replica < execution.replicas; ++replica) {
    for (int m = 0; m < micro_batches; ++m) {
      std::vector<std::int32_t> ids, types, starts, ends;
      std::vector<float> mask, weights;
      for (std::int64_t i = 0; i < micro_batch_size; ++i) {
        const std::int64_t sample = (std::int64_t{replica} * micro_batches + m) * micro_batch_size + i;
        const Sample s = make_sample(options.model, step, sample);
        ids.insert(ids.end(), s.ids.begin(), s.ids.end());
        types.insert(types.end(), s.types.begin(), s.types.end());
        mask.insert(mask.end(), s.mask.begin(), s.mask.end());
        starts.push_back(s.start);
        ends.push_back(s.end);
        weights.push_back(sample < samples ? 0.5f / static_cast<float>(samples) : 0);
      }
      starts.insert(starts.end(), ends.begin(), ends.end());
      const std::vector<float> of_starts = weights;
      weights.insert(weights.end(), of_starts.begin(), of_starts.end());
      trainer.write_batch("input_ids", replica, m, std::span<const std::int32_t>(ids));
      trainer.write_batch("token_type_ids", replica, m, std::span<const std::int32_t>(types));
      trainer.write_batch("mask", replica, m, std::span<const float>(mask));
      trainer.write_batch("labels", replica, m, std::span<const std::int32_t>(starts));
      trainer.write_batch("label_weights", replica, m, std::span<const float>(weights));
    }
  }
  return micro_batches;
}

RunResult run(const RunOptions& options, std::unique_ptr<Store> store) {
  const ExecutionOptions& execution = options.execution;
  const std::int64_t all_micro_batches = std::int64_t{execution.replicas} * execution.accumulation;
  ensure(options.global_batch_size % all_micro_batches == 0, "test: {} samples do not divide into {} micro-batches",
         options.global_batch_size, all_micro_batches);
  const std::int64_t micro_batch_size = options.global_batch_size / all_micro_batches;
  Machine machine(std::move(store), execution.replicas, execution.threads_per_replica);
  Trainer trainer(bert::training_stages(options.model, micro_batch_size, options.embedding_slices), options.optimizer,
                  execution, static_cast<int>(micro_batch_size), machine, options.strategy);
  if (options.start) {
    options.start(trainer.stages(), trainer.state());
  } else {
    trainer.state().initialise(options.seed);
  }

  if (options.trace_steps > 0) trainer.runner().start_trace(options.trace_steps);

  RunResult result;
  for (int step = options.first_step; step < options.first_step + options.steps; ++step) {
    const int micro_batches = write_batch(trainer, options, micro_batch_size, step);
    if (options.before_step) options.before_step(step);
    const double loss = trainer.step(
        {.step = step, .seed = options.seed, .learning_rate = options.learning_rate, .loss_scale = options.loss_scale},
        micro_batches);
    if (options.after_step) options.after_step(step);
    result.losses.push_back(loss);
  }
  ModelState& state = trainer.state();
  for (const CanonicalTensor& tensor : canonical_tensors(trainer.stages())) {
    for (StateKind kind : kSavedStates) {
      result.state.push_back(state.read(kind, tensor));
      result.names.push_back(fmt::format("{}, kind {}", tensor.name, static_cast<int>(kind)));
    }
  }
  if (options.finish) options.finish(trainer.stages(), state);
  result.planned_peak_bytes = trainer.runner().plan().peak_bytes;
  result.high_water_bytes = trainer.runner().high_water_bytes();
  return result;
}

}  // namespace

RunResult run_training(const RunOptions& options) { return run(options, memory_store()); }

RunResult run_training_on_files(const RunOptions& options, const std::string& directory) {
  return run(options, file_store(directory));
}

std::string first_difference(const RunResult& a, const RunResult& b) {
  for (std::size_t i = 0; i < a.losses.size(); ++i) {
    if (std::bit_cast<std::uint64_t>(a.losses[i]) != std::bit_cast<std::uint64_t>(b.losses.at(i))) {
      return fmt::format("loss of step {}: {:.9g} and {:.9g}", i, a.losses[i], b.losses[i]);
    }
  }
  for (std::size_t t = 0; t < a.state.size(); ++t) {
    for (std::size_t i = 0; i < a.state[t].size(); ++i) {
      const float x = a.state[t][i], y = b.state.at(t).at(i);
      if (std::bit_cast<std::uint32_t>(x) != std::bit_cast<std::uint32_t>(y)) {
        return fmt::format("{} element {}: {:.9g} and {:.9g}", a.names[t], i, x, y);
      }
    }
  }
  return {};
}

}  // namespace phasor::testing
