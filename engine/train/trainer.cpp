#include "engine/train/trainer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/ir/records.h"
#include "engine/lower/lowering.h"
#include "engine/train/device_budget.h"

namespace phasor {

LoweredTraining lower(const Stages& stages, const OptimizerOptions& optimizer, const ExecutionOptions& execution,
                      std::span<const NarrowStages> narrow) {
  LoweredTraining lowered{.stages = prepare_stages(stages, execution.precision), .pipeline = {}, .narrow = {}};
  lowered.pipeline = lower_pipeline(lowered.stages, optimizer, execution);
  for (const NarrowStages& one : narrow) {
    const Stages prepared = prepare_stages(one.stages, execution.precision);
    Pipeline pipeline = lower_pipeline(prepared, optimizer, execution, &lowered.pipeline);
    lowered.narrow.push_back({.tokens = one.tokens, .pipeline = std::move(pipeline)});
  }
  return lowered;
}

Trainer::Trainer(const Stages& stages, const OptimizerOptions& optimizer, const ExecutionOptions& execution,
                 int micro_batch_size, Machine& machine, Strategy strategy)
    : Trainer(lower(stages, optimizer, execution), optimizer, execution, micro_batch_size, machine, strategy) {}

Trainer::Trainer(LoweredTraining lowered, const OptimizerOptions& optimizer, const ExecutionOptions& execution,
                 int micro_batch_size, Machine& machine, Strategy strategy)
    : stages_(std::move(lowered.stages)),
      optimizer_(optimizer),
      execution_(execution),
      micro_batch_size_(micro_batch_size),
      instances_(number_instances(stages_)),
      machine_(machine),
      buffers_{.program = "train", .accumulation = execution.accumulation, .iterations = execution.device_iterations},
      runner_(std::make_unique<Runner>(std::move(lowered.pipeline), machine, strategy, std::move(lowered.narrow))),
      state_(std::make_unique<ModelState>(stages_, machine.memory, execution.rts_threshold, optimizer)) {
  check_budget(runner_->plans(), execution_);
  micro_batches_.reserve(static_cast<std::size_t>(execution.device_iterations));
  widths_.resize(static_cast<std::size_t>(execution.device_iterations * execution.accumulation) *
                 static_cast<std::size_t>(machine.replicas.count()));
  results_.reserve(static_cast<std::size_t>(execution.device_iterations));
  const auto instances = static_cast<int>(instances_.size());
  positions_ = &machine.memory.open(buffers_.position(instances));
  if (optimizer.stochastic_rounding) update_positions_ = &machine.memory.open(buffers_.update_position(instances));
  adam_step_ = &machine.memory[buffers_.adam_step(1).name];
  loss_scale_ = &machine.memory[buffers_.loss_scale().name];
  loss_ = &machine.memory[buffers_.loss().name];
  if (optimizer.max_grad_norm > 0) gradient_norm_ = &machine.memory[buffers_.gradient_norm().name];
}

// The slices of a stage are one.
float Trainer::rate_of_row(float rate, std::int64_t row) const {
  if (optimizer_.layer_decay == 1) return rate;
  const std::int64_t behind = instances_.back().stage - instances_[static_cast<std::size_t>(row)].stage;
  return static_cast<float>(rate * std::pow(optimizer_.layer_decay, behind));
}

void Trainer::write_numbers(const StepNumbers& numbers, int micro_batches) {
  // Bias correction counts steps from 1.
  const double t = static_cast<double>(numbers.step) + 1;
  const bool corrects = optimizer_.bias_correction;
  const auto seed = static_cast<std::int64_t>(numbers.seed);
  AdamStepRecord step{.learning_rate = numbers.learning_rate,
                      .gradient_scale = 1 / numbers.loss_scale,
                      .correction1 = corrects ? static_cast<float>(1 / (1 - std::pow(optimizer_.beta1, t))) : 1.0f,
                      .correction2 = corrects ? static_cast<float>(1 / (1 - std::pow(optimizer_.beta2, t))) : 1.0f};
  if (optimizer_.kind == OptimizerKind::adafactor) {  // the part of the mean that stays: nothing of the first
    constexpr double kDecay = 0.8;
    step.correction2 = static_cast<float>(1 - std::pow(t, -kDecay));
  }
  const std::array loss_scale{numbers.loss_scale};
  const auto store = [iteration = prepared()](RemoteBuffer& buffer, int replica, std::int64_t row, auto record) {
    buffer.store(replica, buffer.spec().first_row(iteration) + row, record);
  };
  for (int replica = 0; replica < machine_.replicas.count(); ++replica) {
    for (std::int64_t row = 0; row < adam_step_->spec().rows; ++row) {
      step.learning_rate = rate_of_row(numbers.learning_rate, row);
      const auto record = step.numbers();
      store(*adam_step_, replica, row, std::span(record));
    }
    store(*loss_scale_, replica, 0, std::span(loss_scale));
    for (std::int64_t instance = 0; instance < std::ssize(instances_); ++instance) {
      const auto& [stage, slice] = instances_[instance];
      if (update_positions_) {
        const UpdatePositionRecord position{
            .seed = seed, .step = numbers.step, .replica = replica, .stage = stage, .slice = slice};
        const auto record = position.numbers();
        store(*update_positions_, replica, instance, std::span(record));
      }
      for (int m = 0; m < micro_batches; ++m) {
        const std::int64_t micro_batch = std::int64_t{replica} * micro_batches + m;
        const PositionRecord position{.random = {.seed = seed,
                                                 .step = numbers.step,
                                                 .first_sample = micro_batch * micro_batch_size_,
                                                 .stage = stage},
                                      .slice = slice};
        const auto record = position.numbers();
        store(*positions_, replica, instance * execution_.accumulation + m, std::span(record));
      }
    }
  }
}

void Trainer::write_tokens(int replica, int micro_batch, std::int64_t tokens) {
  const int number = (prepared() * machine_.replicas.count() + replica) * execution_.accumulation + micro_batch;
  widths_.at(static_cast<std::size_t>(number)) = runner_->width_of(tokens);
}

void Trainer::prepare(const StepNumbers& numbers, int micro_batches) {
  ensure(prepared() < execution_.device_iterations, "trainer: a step more than the {} that may be prepared",
         execution_.device_iterations);
  ensure(micro_batches >= 1 && micro_batches <= execution_.accumulation, "trainer: a step of {} micro-batches of {}",
         micro_batches, execution_.accumulation);
  write_numbers(numbers, micro_batches);
  micro_batches_.push_back(micro_batches);
}

std::span<const StepResult> Trainer::run() {
  ensure(prepared() > 0, "trainer: a run without a step");
  if (!resident_) runner_->run(Section::begin);
  resident_ = true;
  const std::size_t of_step = widths_.size() / static_cast<std::size_t>(execution_.device_iterations);
  runner_->run_steps(micro_batches_, std::span(widths_).first(micro_batches_.size() * of_step));
  std::ranges::fill(widths_, 0);
  results_.clear();
  for (int iteration = 0; iteration < prepared(); ++iteration) results_.push_back(result_of(iteration));
  micro_batches_.clear();
  return results_;
}

double Trainer::step(const StepNumbers& numbers, int micro_batches) {
  prepare(numbers, micro_batches);
  return run().back().loss;
}

StepResult Trainer::result_of(int iteration) const {
  StepResult result;
  std::array<float, 1> part{};
  for (int replica = 0; replica < machine_.replicas.count(); ++replica) {
    for (int m = 0; m < micro_batches_[static_cast<std::size_t>(iteration)]; ++m) {
      loss_->load(replica, loss_->spec().first_row(iteration) + m, std::span(part));
      result.loss += part[0];
    }
  }
  if (gradient_norm_ == nullptr) return result;
  gradient_norm_->load(0, gradient_norm_->spec().first_row(iteration), std::span(part));
  result.gradient_norm = part[0];
  return result;
}

ModelState& Trainer::state() {
  if (resident_) runner_->run(Section::end);
  resident_ = false;
  return *state_;
}

}  // namespace phasor
