#include "models/run/steps.h"

#include "models/batches/packing.h"

namespace phasor::run {

std::int64_t total_steps(const TrainingConfig& training, std::int64_t samples) {
  if (training.steps > 0) return training.steps;
  return steps_of_epochs(training.epochs, samples, training.global_batch_size);
}

Schedule schedule_of(const TrainingConfig& training, std::int64_t samples) {
  return {.function = training.function,
          .maximum = training.learning_rate,
          .minimum = training.minimum_rate,
          .warmup_proportion = training.warmup_proportion,
          .steps = total_steps(training, samples),
          .power = training.power};
}

RunSteps::RunSteps(const ResolvedRun& config, const Samples& samples, const Schedule& schedule, Trainer& trainer,
                   const RunPosition& position)
    : config_(config),
      samples_(samples),
      schedule_(schedule),
      trainer_(trainer),
      layout_{.replicas = config.execution.replicas, .rows = config.micro_batch().rows, .room = row_room(config)},
      order_(static_cast<std::uint64_t>(config.seed), samples.size()),
      tensors_(trainer.stages()),
      step_(position.step),
      taken_(position.samples) {}

StepOutcome RunSteps::prepare() {
  order_.choose(taken_, config_.training.global_batch_size, chosen_);
  const int micro_batches = write_step(samples_, chosen_, layout_, tensors_, trainer_);
  const float rate = learning_rate(schedule_, step_);
  trainer_.prepare({.step = step_,
                    .seed = static_cast<std::uint64_t>(config_.seed),
                    .learning_rate = rate,
                    .loss_scale = config_.loss_scaling},
                   micro_batches);
  step_ += 1;
  taken_ += std::ssize(chosen_);
  return {.samples = std::ssize(chosen_), .learning_rate = rate, .result = {}};
}

std::vector<StepOutcome> RunSteps::next(int count) {
  std::vector<StepOutcome> done;
  for (int i = 0; i < count; ++i) done.push_back(prepare());
  const std::span<const StepResult> results = trainer_.run();
  for (std::size_t i = 0; i < done.size(); ++i) done[i].result = results[i];
  return done;
}

}  // namespace phasor::run
