// Predicting text, as a task.
#pragma once

#include "models/run/task.h"
#include "models/task_options/text_options.h"

namespace phasor::text {

class Text : public run::Task {
 public:
  // An option of predict(): the file of prompts, in place of data.predict. Others: models/generation.
  static constexpr const char* kPrompts = "prompts";

  std::string name() const override { return task_options::TextOptions::kName; }
  std::unique_ptr<run::Samples> training_samples(const run::ResolvedRun& config, io::Listener& listener) const override;
  run::Measure measure() const override { return {.name = "loss", .more_is_better = false}; }
  bool can_evaluate(const run::ResolvedRun& config) const override;
  void check_evaluation(const run::ResolvedRun& config, io::Listener& listener) const override;
  run::Scores evaluate(const run::ResolvedRun& config, io::Listener& listener) const override;
  // continuations.jsonl (continuing.h), a line each prompt.
  Predictions predict(const run::ResolvedRun& config, const PredictRequest& request,
                      io::Listener& listener) const override;
};

}  // namespace phasor::text
