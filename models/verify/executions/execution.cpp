#include "models/verify/executions/execution.h"

#include "models/config/training_stages.h"
#include "models/run/first_weights.h"
#include "models/run/machine.h"

namespace phasor::run {

const ValueObserver::See& EngineExecution::touch() const {
  static const ValueObserver::See kNothing;
  return kNothing;
}

ConfiguredExecution::ConfiguredExecution(const ResolvedRun& config, const Samples& samples, io::Listener& listener,
                                         ExecutionParts parts)
    : config_(config),
      touch_(std::move(parts.touch)),
      machine_(parts.store ? std::move(parts.store) : make_store(config), config.execution.replicas,
               config.execution.threads_per_replica, config.execution.pipeline.devices) {
  const OptimizerOptions& optimizer = config_.training.optimizer;
  LoweredTraining lowered = lower(config_);
  if (parts.change) {
    lowered.narrow.clear();  // they would be no longer those of what is changed
    parts.change(lowered);
  }
  trainer_ = std::make_unique<Trainer>(std::move(lowered), optimizer, config_.execution,
                                       static_cast<int>(config_.micro_batch().rows), machine_);
  const RunPosition position = load_first_weights(config_, trainer_->stages(), trainer_->state(), listener);
  steps_ =
      std::make_unique<RunSteps>(config_, samples, schedule_of(config_.training, samples.size()), *trainer_, position);
}

}  // namespace phasor::run
