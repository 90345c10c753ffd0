#include "models/squad/scores.h"

#include <algorithm>

#include "engine/base/error.h"

namespace phasor::squad {

namespace {

bool has_answer(const io::SquadQuestion& question) { return !question.answers.empty(); }

// Means, in percent, over the questions that `counts` accepts. The sums run in the order of the file.
template <class Counts>
MeanScores mean_scores(const io::SquadData& data, std::span<const QuestionScore> scores, Counts counts) {
  MeanScores mean;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!counts(data.questions[i])) continue;
    mean.exact_match += scores[i].exact;
    mean.f1 += scores[i].f1;
    ++mean.questions;
  }
  if (mean.questions == 0) return mean;
  mean.exact_match = 100 * mean.exact_match / static_cast<double>(mean.questions);
  mean.f1 = 100 * mean.f1 / static_cast<double>(mean.questions);
  return mean;
}

// Answers are given one after the other, the surest first. At the beginning none is, which is right for all questions
// that have no answer.
BestScore best_score(const io::SquadData& data, std::span<const std::string> predictions,
                     std::span<const QuestionScore> scores, std::span<const NoAnswerRating> sorted, double nothing,
                     double QuestionScore::*measure) {
  double now = 0;
  for (const io::SquadQuestion& question : data.questions) now += has_answer(question) ? 0 : 1;
  BestScore best{.score = now, .threshold = nothing};
  for (const auto& [question, rating] : sorted) {
    if (has_answer(data.questions[question])) {
      now += scores[question].*measure;
    } else if (!predictions[question].empty()) {
      now -= 1;
    }
    if (now > best.score) best = {.score = now, .threshold = rating};
  }
  best.score = 100 * best.score / static_cast<double>(scores.size());
  return best;
}

}  // namespace

Rules rules_of(const io::SquadData& data) { return data.has_impossible ? Rules::V2 : Rules::V1; }

std::vector<QuestionScore> score_questions(const io::SquadData& data, std::span<const std::string> predictions) {
  ensure(predictions.size() == data.questions.size(), "squad: {} predictions for {} questions", predictions.size(),
         data.questions.size());
  std::vector<QuestionScore> scores;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    scores.push_back(score_question(data.questions[i], predictions[i], rules_of(data)));
  }
  return scores;
}

Evaluation total_scores(const io::SquadData& data, std::span<const QuestionScore> scores) {
  Evaluation evaluation;
  static_cast<MeanScores&>(evaluation) = mean_scores(data, scores, [](const auto&) { return true; });
  if (rules_of(data) == Rules::V1) return evaluation;
  const MeanScores with = mean_scores(data, scores, [](const auto& question) { return has_answer(question); });
  const MeanScores without = mean_scores(data, scores, [](const auto& question) { return !has_answer(question); });
  if (with.questions > 0) evaluation.has_answer = with;
  if (without.questions > 0) evaluation.no_answer = without;
  return evaluation;
}

void withhold_answers(const io::SquadData& data, std::span<const NoAnswerRating> ratings, double threshold,
                      std::span<QuestionScore> scores) {
  for (const auto& [question, rating] : ratings) {
    if (rating <= threshold) continue;
    const double right = has_answer(data.questions[question]) ? 0 : 1;
    scores[question] = {.exact = right, .f1 = right};
  }
}

void find_best_scores(const io::SquadData& data, std::span<const std::string> predictions,
                      std::span<const QuestionScore> scores, std::span<const NoAnswerRating> ratings, double nothing,
                      Evaluation& evaluation) {
  std::vector<NoAnswerRating> sorted(ratings.begin(), ratings.end());
  std::ranges::stable_sort(sorted, {}, &NoAnswerRating::rating);
  evaluation.best_exact = best_score(data, predictions, scores, sorted, nothing, &QuestionScore::exact);
  evaluation.best_f1 = best_score(data, predictions, scores, sorted, nothing, &QuestionScore::f1);
}

}  // namespace phasor::squad
