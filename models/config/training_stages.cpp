#include "models/config/training_stages.h"

#include "engine/train/freeze.h"
#include "models/architecture/model_config.h"

namespace phasor::run {

Stages training_stages(const ResolvedRun& run) {
  return freeze(architecture::training_stages(run.model, run.micro_batch(), run.table_slices),
                split_patterns(run.training.frozen));
}

}  // namespace phasor::run
