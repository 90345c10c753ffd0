// Trains a model on a machine, a step at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/lower/buffers.h"
#include "engine/lower/units/options.h"
#include "engine/program/execute/runner.h"
#include "engine/train/state.h"

namespace phasor {

// What the host decides anew for every step.
struct StepNumbers {
  std::int64_t step = 0;  // from 0
  std::uint64_t seed = 0;
  float learning_rate = 0;
  float loss_scale = 1;
};

// What a step gave.
struct StepResult {
  double loss = 0;                     // before the update
  std::optional<float> gradient_norm;  // of all gradients together, before they were clipped; nothing where none is
};

// The same model on rows of fewer tokens. The tensors of its batch are the beginnings of whole ones, as they are where
// a micro-batch is one row.
struct NarrowStages {
  std::int64_t tokens = 0;  // of a row
  Stages stages;
};

// What a trainer runs: prepared stages, and the programs of a step (lowering.h), those of narrow stages besides.
struct LoweredTraining {
  Stages stages;
  Pipeline pipeline;
  std::vector<NarrowPipeline> narrow;
};
LoweredTraining lower(const Stages& stages, const OptimizerOptions& optimizer, const ExecutionOptions& execution,
                      std::span<const NarrowStages> narrow = {});

class Trainer {
 public:
  // Lowers, plans, and opens the variables' buffers, whose contents the caller sets through state(). Every row of a
  // batch tensor, along its first dimension, belongs to one of the micro-batch's `micro_batch_size` rows. The
  // machine outlives the trainer.
  Trainer(const Stages& stages, const OptimizerOptions& optimizer, const ExecutionOptions& execution,
          int micro_batch_size, Machine& machine, Strategy strategy = Strategy::best);
  // The same of what lower() made with these options.
  Trainer(LoweredTraining lowered, const OptimizerOptions& optimizer, const ExecutionOptions& execution,
          int micro_batch_size, Machine& machine, Strategy strategy = Strategy::best);

  // The batch of the next step to be prepared: tensor `name` of replica's micro-batch, which is number
  // replica * n + micro_batch of the step's, where each replica has n of them. What is behind the last sample has
  // weight 0 and is valid all the same.
  template <class T>
  void write_batch(const std::string& name, int replica, int micro_batch, std::span<const T> values) {
    RemoteBuffer& batch = machine_.memory["train.batch." + name];
    batch.store(replica, batch.spec().first_row(prepared()) + micro_batch, values);
  }

  // Of what was written for a micro-batch of that step, so many tokens of a row may be samples'; all behind them is
  // padding. It then runs the narrowest programs that have room for them. Not told: the rows are whole.
  void write_tokens(int replica, int micro_batch, std::int64_t tokens);

  // Makes the batch written that of a step, with these numbers, on the first `micro_batches` of each replica, from 1 to
  // execution.accumulation. It is to the bit what a trainer of that accumulation does. What is written from now on is
  // the next step's. Up to execution.device_iterations steps may be prepared.
  void prepare(const StepNumbers& numbers, int micro_batches);
  int prepared() const { return static_cast<int>(micro_batches_.size()); }
  // Runs the steps prepared, one at least, without the host in between. What they gave is there until the next run.
  std::span<const StepResult> run();

  // Prepares a step and runs it; returns its loss, before the update.
  double step(const StepNumbers& numbers, int micro_batches);
  // On all.
  double step(const StepNumbers& numbers) { return step(numbers, execution_.accumulation); }

  // Of the last step.
  std::optional<float> gradient_norm() const { return results_.empty() ? std::nullopt : results_.back().gradient_norm; }

  // The variables. Brings what is resident on the device back first; writing to it takes effect on the next step.
  ModelState& state();

  // Lets others read the state() that they were given while steps go on: `wait` is called by every replica before it
  // changes a row of it, and returns when it may.
  void before_state_changes(const std::function<void()>& wait) { runner_->before_state_changes(wait); }

  // The prepared ones.
  const Stages& stages() const { return stages_; }
  const Runner& runner() const { return *runner_; }
  Runner& runner() { return *runner_; }

 private:
  void write_numbers(const StepNumbers& numbers, int micro_batches);
  StepResult result_of(int iteration) const;
  float rate_of_row(float rate, std::int64_t row) const;

  Stages stages_;
  OptimizerOptions optimizer_;
  ExecutionOptions execution_;
  int micro_batch_size_;
  std::vector<InstanceNumbers> instances_;
  Machine& machine_;
  HostBuffers buffers_;
  // Found once: a step looks nothing up by name.
  RemoteBuffer *positions_ = nullptr, *update_positions_ = nullptr, *adam_step_ = nullptr, *loss_scale_ = nullptr,
               *loss_ = nullptr, *gradient_norm_ = nullptr;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<ModelState> state_;
  std::vector<int> micro_batches_;   // of each step prepared
  std::vector<int> widths_;          // of each step, the prepared and those to come, replica and micro-batch
  std::vector<StepResult> results_;  // of the last run
  bool resident_ = false;            // whether the device holds the newest state
};

}  // namespace phasor
