// The optimizer steps of a run: which samples each of them takes, and at which rate. Whoever drives them has the rest.
#pragma once

#include <vector>

#include "engine/train/schedule.h"
#include "engine/train/trainer.h"
#include "models/batches/data_order.h"
#include "models/batches/step_batch.h"
#include "models/checkpoint/position.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

// Number of optimizer steps of the whole run on that many samples.
std::int64_t total_steps(const TrainingConfig& training, std::int64_t samples);

// The learning rate of a run on that many samples.
Schedule schedule_of(const TrainingConfig& training, std::int64_t samples);

// What a step did.
struct StepOutcome {
  std::int64_t samples = 0;  // that it took
  float learning_rate = 0;
  StepResult result;
};

class RunSteps {
 public:
  // The next step is the one behind `position`. All but the schedule outlive the steps.
  RunSteps(const ResolvedRun& config, const Samples& samples, const Schedule& schedule, Trainer& trainer,
           const RunPosition& position);

  // Makes the samples of the next `count` steps the trainer's batches, runs them, and counts them: up to
  // execution.device_iterations.
  std::vector<StepOutcome> next(int count = 1);

  std::int64_t done() const { return step_; }            // steps of the run
  std::int64_t samples_taken() const { return taken_; }  // from its data order

 private:
  StepOutcome prepare();

  const ResolvedRun& config_;
  const Samples& samples_;
  Schedule schedule_;
  Trainer& trainer_;
  StepLayout layout_;
  DataOrder order_;
  BatchTensors tensors_;
  std::int64_t step_, taken_;
  std::vector<std::int64_t> chosen_;  // samples of the step
};

}  // namespace phasor::run
