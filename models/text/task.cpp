#include "models/text/task.h"

#include "engine/base/error.h"
#include "models/text/evaluation.h"
#include "models/text/inputs.h"

namespace phasor::text {

std::unique_ptr<run::Samples> Text::training_samples(const run::ResolvedRun& config, io::Listener& listener) const {
  return std::make_unique<TextSamples>(text::training_samples(config, listener));
}

bool Text::can_evaluate(const run::ResolvedRun& config) const {
  return !config.data.dev.empty() || (!config.data.train.empty() && options_of(config).held_out > 0);
}

void Text::check_evaluation(const run::ResolvedRun& config, io::Listener& listener) const {
  evaluated_samples(config, listener);
}

run::Scores Text::evaluate(const run::ResolvedRun& config, io::Listener& listener) const {
  return to_scores(text::evaluate(config, listener));
}

run::Task::Predictions Text::predict(const run::ResolvedRun&, const PredictRequest&, io::Listener&) const {
  throw UserError("predict: a model of text does not speak yet");
}

}  // namespace phasor::text
