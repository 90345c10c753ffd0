#include "models/own/training.h"

#include <cmath>

#include "models/checkpoint/checkpoint.h"
#include "models/own/write_batches.h"
#include "models/run/machine.h"

namespace phasor::own {

Training::Training(const Stages& stages, const Settings& settings)
    : run_(resolve_settings(stages, settings)),
      size_(own::micro_batch_size(stages)),
      specs_(batch_specs(stages)),
      limits_(index_limits(stages)),
      schedule_(schedule_of(run_.training)),
      machine_(run::make_machine(run_)) {
  check_room(stages, run_);
  trainer_ =
      std::make_unique<Trainer>(stages, run_.training.optimizer, run_.execution, static_cast<int>(size_), machine_);
  run::use_all_threads(run_);
  trainer_->state().initialise(static_cast<std::uint64_t>(run_.seed));
}

float Training::learning_rate() const { return phasor::learning_rate(schedule_, position_); }

double Training::step(const Batch& batch) {
  const std::int64_t samples = check_batch(batch, specs_, limits_), together = size_ * run_.execution.replicas;
  check(samples % together == 0 && samples <= together * run_.execution.accumulation,
        "batch: {} samples are not a multiple of data_parallel × the model's micro-batch = {} × {}, up to "
        "training.global_batch_size {}",
        samples, run_.execution.replicas, size_, together * run_.execution.accumulation);
  const auto micro_batches = static_cast<int>(samples / together);
  write_batches(batch, trainer_->stages(), run_.execution.replicas, micro_batches, *trainer_);
  const double loss = trainer_->step({.step = position_,
                                      .seed = static_cast<std::uint64_t>(run_.seed),
                                      .learning_rate = learning_rate(),
                                      .loss_scale = run_.loss_scaling},
                                     micro_batches);
  check(std::isfinite(loss), "training: the loss of step {} is {}. Try a smaller learning rate or max_grad_norm",
        position_ + 1, loss);
  ++position_;
  return loss;
}

Results Training::predict(const Stages& stages, const Batch& batch) {
  Prediction prediction(stages, batch, run_);
  trainer_->state();  // brings what is resident back
  const std::vector<CanonicalTensor> to = prediction.tensors(), from = tensors();
  check(to.size() == from.size(), "predict: these stages have {} tensors, the trained ones {}", to.size(), from.size());
  for (std::size_t t = 0; t < to.size(); ++t) {
    check(to[t].name == from[t].name && to[t].shape == from[t].shape,
          "predict: these stages have '{}' where the trained ones have '{}'", to[t].name, from[t].name);
    prediction.write(to[t], read(from[t]));
  }
  return prediction.run();
}

void Training::save(const std::string& path) {
  run::save_checkpoint(path, trainer_->stages(), trainer_->state(),
                       {.step = position_, .seed = run_.seed, .config = "model: {}\n"});
}

void Training::load(const std::string& path) {
  run::load_checkpoint(path, trainer_->stages(), trainer_->state());
  position_ = run::read_position(path).step;
}

}  // namespace phasor::own
