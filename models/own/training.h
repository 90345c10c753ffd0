// Trains a model of one's own, written as stages (engine/ir/stage_builder.h), a step at a time on batches from
// anywhere. Everything that holds for the models of this program holds for it: phases, plans that are exact, replicas,
// checkpoints.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/train/schedule.h"
#include "engine/train/trainer.h"
#include "models/config/resolved_run.h"
#include "models/own/batch.h"
#include "models/own/prediction.h"
#include "models/own/settings.h"

namespace phasor::own {

class Training {
 public:
  // `stages`: of one micro-batch; the last one has a loss. Settings are keys of the sections training and execution,
  // and model.precision and model.seed. The micro-batch's size follows from the stages, training.global_batch_size is,
  // unless given, one micro-batch a replica. The weights begin as their initialisers say. Throws UserError where the
  // settings contradict each other or the plan takes more than the device has.
  Training(const Stages& stages, const Settings& settings);

  // Trains on the batch, of training.global_batch_size samples or fewer, micro-batches of all replicas being full, at
  // the learning rate of the step, and returns its loss before the update. A batch that does not fit is a UserError,
  // and nothing has changed; so is a loss that is not finite, but the weights are then spoilt by it: load() those of
  // before.
  double step(const Batch& batch);
  std::int64_t steps() const { return position_; }  // done
  float learning_rate() const;                      // of the next step

  // Of the stages of the same model without a loss, with the weights as they are now (models/own/prediction.h).
  Results predict(const Stages& stages, const Batch& batch);

  // Weights by canonical name.
  std::vector<CanonicalTensor> tensors() const { return canonical_tensors(trainer_->stages()); }
  std::vector<float> read(const CanonicalTensor& tensor) { return trainer_->state().read(StateKind::weight, tensor); }
  void write(const CanonicalTensor& tensor, std::span<const float> values) {
    trainer_->state().write(StateKind::weight, tensor, values);
  }

  // The whole state: weights, moments, position.
  void save(const std::string& path);
  void load(const std::string& path);

  const ProgramPlan& plan() const { return trainer_->runner().plan(); }
  std::int64_t measured_peak_bytes() const { return trainer_->runner().high_water_bytes(); }
  std::int64_t micro_batch_size() const { return size_; }

 private:
  run::ResolvedRun run_;
  std::int64_t size_;  // of a micro-batch
  std::map<std::string, TensorSpec> specs_;
  std::map<std::string, std::int64_t> limits_;
  Schedule schedule_;
  Machine machine_;
  std::unique_ptr<Trainer> trainer_;
  std::int64_t position_ = 0;
};

}  // namespace phasor::own
