#include "models/config/training_stages.h"

#include "engine/train/freeze.h"
#include "models/architecture/model_config.h"
#include "models/layers/narrow_rows.h"

namespace phasor::run {

namespace {

Stages stages_of(const ResolvedRun& run, layers::MicroBatch batch) {
  return freeze(architecture::training_stages(run.model, batch, run.table_slices), split_patterns(run.training.frozen));
}

std::vector<NarrowStages> narrow_stages_of(const ResolvedRun& run) {
  if (!run.packs()) return {};
  std::vector<NarrowStages> all;
  for (const layers::MicroBatch& batch : layers::narrow_rows(run.micro_batch(), architecture::row_tokens(run.model))) {
    all.push_back({.tokens = batch.narrow_tokens, .stages = stages_of(run, batch)});
  }
  return all;
}

}  // namespace

Stages training_stages(const ResolvedRun& run) { return stages_of(run, run.micro_batch()); }

LoweredTraining lower(const ResolvedRun& run) {
  return phasor::lower(training_stages(run), run.training.optimizer, run.execution, narrow_stages_of(run));
}

}  // namespace phasor::run
