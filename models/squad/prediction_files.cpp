#include "models/squad/prediction_files.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "engine/base/error.h"
#include "io/json/json_object.h"

namespace phasor::squad {

namespace {

// Which question an id belongs to. The views live as long as the data.
std::unordered_map<std::string_view, std::int64_t> index_of_ids(const io::SquadData& data) {
  std::unordered_map<std::string_view, std::int64_t> index;
  for (const io::SquadQuestion& question : data.questions) {
    const bool fresh = index.emplace(question.id, std::ssize(index)).second;
    check(fresh, "squad: the id '{}' stands for two questions, of which a file of predictions can answer one",
          question.id);
  }
  return index;
}

// Throws unless `found` is true for every question.
void check_all_found(const io::SquadData& data, const std::vector<bool>& found, const std::string& subject,
                     const std::string& path) {
  const auto missing = std::ranges::count(found, false);
  if (missing == 0) return;
  const auto first = static_cast<std::size_t>(std::ranges::find(found, false) - found.begin());
  check(false, "{}: '{}' has nothing for {} of {} questions, '{}' among them; SQuAD 2.0 wants all", subject, path,
        missing, found.size(), data.questions[first].id);
}

// In the order of the file, as the official script takes them in. Ids of other data are passed over.
std::vector<NoAnswerRating> read_ratings(const std::string& path, const io::SquadData& data) {
  const auto index = index_of_ids(data);
  std::vector<NoAnswerRating> ratings;
  std::vector<bool> found(data.questions.size());
  for (const auto& [id, probability] : io::read_json_numbers("na-probabilities", path)) {
    const auto question = index.find(id);
    if (question == index.end()) continue;
    ratings.push_back({.question = question->second, .rating = probability});
    found[question->second] = true;
  }
  check_all_found(data, found, "na-probabilities", path);
  return ratings;
}

nlohmann::ordered_json to_json(const AnswerCandidate& candidate) {
  return {{"text", candidate.text},
          {"probability", candidate.probability},
          {"start_logit", candidate.span.start_logit},
          {"end_logit", candidate.span.end_logit}};
}

}  // namespace

Evaluation evaluate_predictions(const std::string& data_path, const ScoredFiles& files, std::int64_t& unanswered) {
  const io::SquadData data = io::read_squad(data_path);
  const auto index = index_of_ids(data);
  std::vector<std::string> answers(data.questions.size());
  std::vector<bool> found(data.questions.size());
  for (auto& [id, text] : io::read_json_texts("predictions", files.predictions)) {
    const auto question = index.find(id);
    if (question == index.end()) continue;
    answers[question->second] = std::move(text);
    found[question->second] = true;
  }
  unanswered = std::ranges::count(found, false);
  check(unanswered < std::ssize(found), "predictions: '{}' answers none of the {} questions of '{}'", files.predictions,
        found.size(), data_path);
  const bool second = rules_of(data) == Rules::V2;
  if (second) check_all_found(data, found, "predictions", files.predictions);
  check(second || files.no_answer_probabilities.empty(),
        "na-probabilities: '{}' is for SQuAD 2.0, and '{}' is SQuAD 1.1", files.no_answer_probabilities, data_path);

  std::vector<QuestionScore> scores = score_questions(data, answers);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!found[i]) scores[i] = {};
  }
  if (files.no_answer_probabilities.empty()) return total_scores(data, scores);
  const std::vector<NoAnswerRating> ratings = read_ratings(files.no_answer_probabilities, data);
  const std::vector<QuestionScore> given = scores;
  withhold_answers(data, ratings, files.probability_threshold, scores);
  Evaluation evaluation = total_scores(data, scores);
  find_best_scores(data, answers, given, ratings, 0, evaluation);
  return evaluation;
}

void write_predictions(const std::string& output, const io::SquadData& data, const SpanSearch& search) {
  std::error_code error;
  std::filesystem::create_directories(output, error);
  check(!error, "output folder '{}' cannot be made: {}", output, error.message());
  index_of_ids(data);  // throws where an id is not unique
  io::JsonMembers<std::string> texts, candidates, odds;
  for (const Prediction& prediction : search.predictions()) {
    const std::int64_t question = std::ssize(texts);
    const std::string& id = data.questions[question].id;
    nlohmann::ordered_json considered = nlohmann::ordered_json::array();
    for (const AnswerCandidate& candidate : search.candidates(question)) considered.push_back(to_json(candidate));
    texts.emplace_back(id, io::json_quote(prediction.text));
    candidates.emplace_back(id, considered.dump());
    odds.emplace_back(id, nlohmann::json(prediction.null_odds()).dump());
  }
  io::write_json_members(output + "/predictions.json", texts);
  io::write_json_members(output + "/nbest_predictions.json", candidates);
  if (data.has_impossible) io::write_json_members(output + "/null_odds.json", odds);
}

}  // namespace phasor::squad
