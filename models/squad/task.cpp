#include "models/squad/task.h"

#include "engine/base/error.h"
#include "models/squad/answering.h"
#include "models/squad/evaluation.h"
#include "models/squad/inputs.h"
#include "models/squad/score_text.h"

namespace phasor::squad {

std::unique_ptr<run::Samples> Squad::training_samples(const run::ResolvedRun& config, io::Listener& listener) const {
  check(!config.data.train.empty(), "data.train is missing. Give it a SQuAD JSON file");
  return std::make_unique<FeatureSamples>(load_features(config, config.data.train, false, listener));
}

void Squad::check_evaluation(const run::ResolvedRun& config, io::Listener& listener) const {
  load_features(config, config.data.dev, true, listener);
}

run::Scores Squad::evaluate(const run::ResolvedRun& config, io::Listener& listener) const {
  return to_scores(squad::evaluate(config, listener));
}

run::Task::Predictions Squad::predict(const run::ResolvedRun& config, const PredictRequest& request,
                                      io::Listener& listener) const {
  const std::string& data = config.data.predict.empty() ? config.data.dev : config.data.predict;
  check(!data.empty(), "data.predict is missing. Give it a SQuAD JSON file with the questions to answer");
  const std::int64_t questions =
      answer_file(config, data, request.options.contains(kUnanswerable), request.output, listener);
  const std::string file = request.output + "/predictions.json";
  return {.text = fmt::format("{} questions answered in {}, candidates in {}/nbest_predictions.json", questions, file,
                              request.output),
          .values = {{"questions", questions}, {"predictions", file}}};
}

}  // namespace phasor::squad
