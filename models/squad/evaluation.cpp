#include "models/squad/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "models/batches/packing.h"
#include "models/run/first_weights.h"
#include "models/squad/inputs.h"

namespace phasor::squad {

namespace {

// Adds what the best threshold on null_odds would reach.
void find_best_thresholds(const io::SquadData& data, const SpanSearch& search, std::span<const Prediction> predictions,
                          Evaluation& evaluation) {
  std::vector<std::string> answers;  // none withheld
  std::vector<NoAnswerRating> ratings;
  float least = std::numeric_limits<float>::max();
  for (const Prediction& prediction : predictions) {
    const std::int64_t question = std::ssize(answers);
    answers.push_back(prediction.spans.empty() ? "" : search.text_of(question, prediction.spans.front()));
    ratings.push_back({.question = question, .rating = prediction.null_odds()});
    least = std::min(least, prediction.null_odds());
  }
  const double nothing = std::nextafter(least, -std::numeric_limits<float>::max());
  find_best_scores(data, answers, score_questions(data, answers), ratings, nothing, evaluation);
}

}  // namespace

Evaluation evaluate(const run::ResolvedRun& config, io::Listener& listener) {
  check(!config.data.dev.empty(), "data.dev is missing. Give it a SQuAD JSON file");
  run::check_trained_model(config);
  run::check_first_weights(config);
  const io::SquadData data = io::read_squad(config.data.dev, io::SquadAnswers::Required, listener);
  const FeatureSamples samples(load_features(config, config.data.dev, true, listener));
  run::TrainedModel model(config, run::sequences_of(samples, config), config.micro_batch_size, listener);
  SpanSearch search(data, samples.features(), span_settings(config));
  const auto progress = listener.progress("evaluating", samples.size(), "features");
  search_spans(model, samples, search, *progress);
  progress->finish();

  const std::vector<Prediction> predictions = search.predictions();
  std::vector<std::string> answers;
  for (const Prediction& prediction : predictions) answers.push_back(prediction.text);
  Evaluation evaluation = total_scores(data, score_questions(data, answers));
  if (data.has_impossible) find_best_thresholds(data, search, predictions, evaluation);
  return evaluation;
}

}  // namespace phasor::squad
