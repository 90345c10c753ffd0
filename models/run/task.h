// What a model learns to do: which samples there are, what its answers are worth, and which files they become. The
// stages come from the architecture; the loop, checkpoints and resuming are the same for all tasks.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "io/listener/listener.h"
#include "models/batches/samples.h"
#include "models/config/resolved_run.h"
#include "models/run/scores.h"

namespace phasor::run {

// Keeps nothing: everything follows from the configuration that it is given. What this has wrong is a UserError.
class Task {
 public:
  virtual ~Task() = default;

  // What it is called: "squad".
  virtual std::string name() const = 0;

  // Those of data.train.
  virtual std::unique_ptr<Samples> training_samples(const ResolvedRun& config, io::Listener& listener) const = 0;

  // The score that "best" goes by.
  virtual Measure measure() const = 0;
  // Whether the configuration names what evaluate() scores.
  virtual bool can_evaluate(const ResolvedRun& config) const = 0;
  // Finds the mistakes in it that evaluate() would find, without a model: before training, not after it.
  virtual void check_evaluation(const ResolvedRun& config, io::Listener& listener) const = 0;
  // Scores the answers to data.dev with the weights of checkpoint.load, else of model.from.
  virtual Scores evaluate(const ResolvedRun& config, io::Listener& listener) const = 0;

  // What `predict` was asked for.
  struct PredictRequest {
    std::string output;                          // the folder for the files, which is made if missing
    std::map<std::string, std::string> options;  // of this task's own: name to value, "true" of a flag
  };
  struct Predictions {
    std::string text;               // a line for people
    nlohmann::ordered_json values;  // an object for programs
  };
  // Answers data.predict, else data.dev, into files in the folder.
  virtual Predictions predict(const ResolvedRun& config, const PredictRequest& request,
                              io::Listener& listener) const = 0;
};

}  // namespace phasor::run
