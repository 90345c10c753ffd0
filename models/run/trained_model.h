// A trained model that is asked about samples, any number of them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/train/predictor.h"
#include "io/listener/listener.h"
#include "models/batches/step_batch.h"
#include "models/config/resolved_run.h"
#include "models/run/fitted_passes.h"

namespace phasor::run {

// A UserError where neither checkpoint.load nor model.from says where weights come from.
void check_trained_model(const ResolvedRun& config);

class TrainedModel {
 public:
  // What the stages give for a micro-batch, by the names of Stage::results.
  using Results = std::map<std::string, std::vector<float>>;
  // Takes the results of a micro-batch and where the samples stand in it. Each sample is in one.
  using Take = std::function<void(std::span<const Place> places, const Results& results)>;

  // With the weights of checkpoint.load, else of model.from. `rows`: how many the samples take that it will be given at
  // a time, which its micro-batches, of `largest` rows at most, are made for; it takes any number. Where the device has
  // no room for them they are smaller (fitted_passes.h).
  TrainedModel(const ResolvedRun& config, std::int64_t rows, std::int64_t largest, io::Listener& listener);

  layers::MicroBatch micro_batch() const { return passes_.run.micro_batch(); }

  // Hands the results of all samples to `take`: in their order, unless they share rows. Results that are not finite are
  // a UserError. Advances `progress` by a unit a sample.
  void run(const Samples& samples, const Take& take, io::Progress& progress);

 private:
  void run_pass(const Samples& samples, std::span<Place> places, const Take& take);

  FittedPasses passes_;
  RowRoom room_;
  Machine machine_;
  Predictor predictor_;
  BatchTensors tensors_;
  Results results_;
};

}  // namespace phasor::run
