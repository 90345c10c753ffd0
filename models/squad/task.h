// SQuAD as a task.
#pragma once

#include "models/run/task.h"
#include "models/task_options/squad_options.h"

namespace phasor::squad {

class Squad : public run::Task {
 public:
  // An option of predict(): "no answer" competes, whatever the file says.
  static constexpr const char* kUnanswerable = "unanswerable";

  std::string name() const override { return task_options::SquadOptions::kName; }
  std::unique_ptr<run::Samples> training_samples(const run::ResolvedRun& config, io::Listener& listener) const override;
  run::Measure measure() const override { return {.name = "f1"}; }
  bool can_evaluate(const run::ResolvedRun& config) const override { return !config.data.dev.empty(); }
  void check_evaluation(const run::ResolvedRun& config, io::Listener& listener) const override;
  run::Scores evaluate(const run::ResolvedRun& config, io::Listener& listener) const override;
  // predictions.json, nbest_predictions.json and null_odds.json (prediction_files.h).
  Predictions predict(const run::ResolvedRun& config, const PredictRequest& request,
                      io::Listener& listener) const override;
};

}  // namespace phasor::squad
