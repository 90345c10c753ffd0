#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "io/datasets/squad.h"
#include "models/run/first_weights.h"
#include "models/squad/model.h"
#include "models/squad/training.h"

namespace phasor::run {

namespace {

// Adds what the best threshold on null_odds would reach.
void find_best_thresholds(const io::SquadData& data, const SpanSearch& search,
                          std::span<const SquadPrediction> predictions, SquadEvaluation& evaluation) {
  std::vector<std::string> answers;  // none withheld
  std::vector<NoAnswerRating> ratings;
  float least = std::numeric_limits<float>::max();
  for (const SquadPrediction& prediction : predictions) {
    const std::int64_t question = std::ssize(answers);
    answers.push_back(prediction.spans.empty() ? "" : search.text_of(question, prediction.spans.front()));
    ratings.push_back({.question = question, .rating = prediction.null_odds()});
    least = std::min(least, prediction.null_odds());
  }
  const double nothing = std::nextafter(least, -std::numeric_limits<float>::max());
  find_best_scores(data, answers, score_questions(data, answers), ratings, nothing, evaluation);
}

}  // namespace

SquadEvaluation evaluate_squad(const ResolvedRun& config, io::ProgressStyle style) {
  check(!config.data.dev.empty(), "data.dev is missing. Give it a SQuAD JSON file");
  check_trained_model(config);
  check_first_weights(config);
  const io::SquadData data = io::read_squad(config.data.dev, io::SquadAnswers::Required, style);
  const SquadFeatures features = load_features(config, config.data.dev, true, style);
  SquadModel model(config, features.size(), style);
  SpanSearch search(data, features, span_settings(config));
  io::Progress progress("evaluating", features.size(), "features", style);
  model.run(features, search, progress);
  progress.finish();

  const std::vector<SquadPrediction> predictions = search.predictions();
  std::vector<std::string> answers;
  for (const SquadPrediction& prediction : predictions) answers.push_back(prediction.text);
  SquadEvaluation evaluation = total_scores(data, score_questions(data, answers));
  if (data.has_impossible) find_best_thresholds(data, search, predictions, evaluation);
  return evaluation;
}

}  // namespace phasor::run
