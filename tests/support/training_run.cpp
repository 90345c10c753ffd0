#include "tests/support/training_run.h"

#include <numeric>

#include "models/layers/narrow_rows.h"
#include "models/verify/values/numbers.h"
#include "tests/support/drawn_samples.h"

namespace phasor::test {

namespace {

LoweredTraining lowered_training(const RunOptions& options, layers::MicroBatch batch) {
  const auto stages_of = [&](layers::MicroBatch rows) {
    return options.stages ? options.stages(rows) : bert::training_stages(options.model, rows, options.embedding_slices);
  };
  std::vector<NarrowStages> narrow;
  if (options.narrow_rows && batch.samples_of_row > 1) {
    for (const layers::MicroBatch& rows : layers::narrow_rows(batch, options.model.sequence_length)) {
      narrow.push_back({.tokens = rows.narrow_tokens, .stages = stages_of(rows)});
    }
  }
  return lower(stages_of(batch), options.optimizer, options.execution, narrow);
}

RunResult run(const RunOptions& options, std::unique_ptr<Store> store) {
  const ExecutionOptions& execution = options.execution;
  const std::int64_t all_micro_batches = std::int64_t{execution.replicas} * execution.accumulation;
  ensure(options.global_batch_size % all_micro_batches == 0, "test: {} samples do not divide into {} micro-batches",
         options.global_batch_size, all_micro_batches);
  const std::int64_t micro_batch_size = options.global_batch_size / all_micro_batches;
  Machine machine(std::move(store), execution.replicas, execution.threads_per_replica, execution.pipeline.devices);
  const layers::MicroBatch micro_batch = options.micro_batch(micro_batch_size);
  Trainer trainer(lowered_training(options, micro_batch), options.optimizer, execution,
                  static_cast<int>(micro_batch.rows), machine, options.strategy);
  if (options.start) {
    options.start(trainer.stages(), trainer.state());
  } else {
    trainer.state().initialise(options.seed);
  }

  if (options.observer != nullptr) {
    std::vector<CallObserver*> observers(static_cast<std::size_t>(execution.replicas * execution.pipeline.devices));
    observers.front() = options.observer;
    trainer.runner().observe(observers);
  }
  if (options.trace_steps > 0) trainer.runner().start_trace(options.trace_steps);

  const run::StepLayout layout{
      .replicas = execution.replicas, .rows = micro_batch.rows, .room = options.room(micro_batch_size)};
  run::BatchTensors tensors(trainer.stages());
  std::vector<std::int64_t> chosen;
  RunResult result;
  for (int step = options.first_step; step < options.first_step + options.steps; ++step) {
    chosen.resize(static_cast<std::size_t>(options.samples_of(step)));
    std::iota(chosen.begin(), chosen.end(), 0);
    const std::unique_ptr<run::Samples> samples =
        options.samples ? options.samples(step) : std::make_unique<DrawnSamples>(options, step);
    const int micro_batches = run::write_step(*samples, chosen, layout, tensors, trainer);
    result.micro_batches.push_back(micro_batches);
    if (options.before_step) options.before_step(step);
    trainer.prepare(
        {.step = step, .seed = options.seed, .learning_rate = options.learning_rate, .loss_scale = options.loss_scale},
        micro_batches);
    const bool is_last = step + 1 == options.first_step + options.steps;
    std::span<const StepResult> made;
    if (is_last || trainer.prepared() == execution.device_iterations) made = trainer.run();
    if (options.after_step) options.after_step(step);
    for (const StepResult& one : made) result.losses.push_back(one.loss);
  }
  ModelState& state = trainer.state();
  for (const CanonicalTensor& tensor : canonical_tensors(trainer.stages())) {
    for (StateKind kind : kSavedStates) {
      result.state.push_back(state.read(kind, tensor));
      result.names.push_back(fmt::format("{}, kind {}", tensor.name, static_cast<int>(kind)));
    }
  }
  if (options.finish) options.finish(trainer.stages(), state);
  for (int device = 0; device < trainer.runner().devices(); ++device) {
    result.planned_bytes_of_devices.push_back(trainer.runner().plan(device).peak_bytes);
    result.high_water_bytes_of_devices.push_back(trainer.runner().high_water_bytes(device));
  }
  result.planned_peak_bytes = trainer.runner().peak_bytes();
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
    const run::Numbers losses = run::numbers_of(a.losses[i], b.losses.at(i));
    if (losses.a_bits != losses.b_bits) return fmt::format("loss of step {}: {}", i, run::to_string(losses));
  }
  for (std::size_t t = 0; t < a.state.size(); ++t) {
    ensure(a.state[t].size() == b.state.at(t).size(), "test: {} has {} and {} elements", a.names[t], a.state[t].size(),
           b.state[t].size());
    run::Distance distance;
    distance.add(a.state[t], b.state[t]);
    if (distance.equal()) continue;
    return fmt::format("{} element {}: {}; {} of {} differ", a.names[t], distance.first_element(),
                       run::to_string(distance.first()), distance.different(), distance.elements());
  }
  return {};
}

}  // namespace phasor::test
