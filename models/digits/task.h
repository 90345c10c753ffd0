// Telling pictures of digits apart, as a task.
#pragma once

#include "models/run/task.h"
#include "models/task_options/digits_options.h"

namespace phasor::digits {

class Digits : public run::Task {
 public:
  std::string name() const override { return task_options::DigitsOptions::kName; }
  std::unique_ptr<run::Samples> training_samples(const run::ResolvedRun& config, io::Listener& listener) const override;
  run::Measure measure() const override { return {.name = "accuracy"}; }
  bool can_evaluate(const run::ResolvedRun& config) const override { return !config.data.dev.empty(); }
  void check_evaluation(const run::ResolvedRun& config, io::Listener& listener) const override;
  run::Scores evaluate(const run::ResolvedRun& config, io::Listener& listener) const override;
  // predictions.csv (reading.h).
  Predictions predict(const run::ResolvedRun& config, const PredictRequest& request,
                      io::Listener& listener) const override;
};

}  // namespace phasor::digits
