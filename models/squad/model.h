// A trained model that reads questions: from features to start and end logits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/train/predictor.h"
#include "io/terminal/progress.h"
#include "models/config/resolved_run.h"
#include "models/run/pass_sizes.h"
#include "models/squad/batch.h"
#include "models/squad/inputs.h"
#include "models/squad/spans.h"

namespace phasor::run {

class SquadModel {
 public:
  // With the weights of checkpoint.load, else of model.from. `samples`: how many features it will be given at a time,
  // which its micro-batches are made for; it takes any number.
  SquadModel(const ResolvedRun& config, std::int64_t samples, io::ProgressStyle style);

  // Hands the logits of all features to `search`, in their order. Advances `progress` by a unit a feature.
  void run(const SquadFeatures& features, SpanSearch& search, io::Progress& progress);

 private:
  void run_pass(const SquadFeatures& features, std::int64_t first, SpanSearch& search);

  ResolvedRun config_;
  PassSizes pass_;
  ExecutionOptions execution_;
  std::int64_t batch_size_;
  Machine machine_;
  Predictor predictor_;
  std::vector<float> logits_;  // of a micro-batch
  DenseBatch batch_;
};

}  // namespace phasor::run
