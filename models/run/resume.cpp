#include "models/run/resume.h"

namespace phasor::run {

RunPosition start_of(const ResolvedRun& config, const std::string& config_yaml, const Samples& samples) {
  return {.seed = config.seed,
          .config = config_yaml,
          .global_batch_size = config.training.global_batch_size,
          .data_samples = samples.size(),
          .data = samples.fingerprint(),
          .loss_scale = config.loss_scaling};
}

void check_same_run(const std::string& path, const RunPosition& saved, const RunPosition& now) {
  if (saved.step == 0) return;
  constexpr const char* kHint = "A resumed run takes the samples that are left; start one without checkpoint.load";
  check(saved.seed == now.seed, "checkpoint: '{}' is of a run with model.seed {}, this one has {}. {}", path,
        saved.seed, now.seed, kHint);
  if (saved.global_batch_size != 0) {
    check(saved.global_batch_size == now.global_batch_size,
          "checkpoint: '{}' is of a run with training.global_batch_size {}, this one has {}. {}", path,
          saved.global_batch_size, now.global_batch_size, kHint);
  }
  if (!saved.data.empty()) {
    check(saved.data == now.data && saved.data_samples == now.data_samples,
          "checkpoint: '{}' is of a run on {} samples of data.train with the fingerprint {:.8}, this one has {} with "
          "{:.8}. {}",
          path, saved.data_samples, saved.data, now.data_samples, now.data, kHint);
  }
}

}  // namespace phasor::run
