// The scores of a whole file of answers, as SQuAD's official evaluation scripts (1.1 and 2.0) report them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/squad/metrics.h"

namespace phasor::squad {

struct MeanScores {
  double exact_match = 0;  // percent
  double f1 = 0;           // percent
  std::int64_t questions = 0;
};

// What withholding answers can reach: the score if every answer is withheld whose "no answer" is rated above
// `threshold`.
struct BestScore {
  double score = 0;  // percent
  double threshold = 0;
};

// Of all questions; for 2.0 also of those with an answer and those without, where there are any, and, where "no answer"
// was rated, the best that a threshold on the ratings can reach.
struct Evaluation : MeanScores {
  std::optional<MeanScores> has_answer, no_answer;
  std::optional<BestScore> best_exact, best_f1;
};

// 2.0 where the data says of questions whether they are impossible.
Rules rules_of(const io::SquadData& data);

// One score a question; `predictions` has one text a question, "" for no answer.
std::vector<QuestionScore> score_questions(const io::SquadData& data, std::span<const std::string> predictions);

// The totals, without best scores.
Evaluation total_scores(const io::SquadData& data, std::span<const QuestionScore> scores);

// How much speaks for "no answer" to a question: a probability, or any other number that grows with it.
struct NoAnswerRating {
  std::int64_t question = 0;  // index
  double rating = 0;
};

// Gives questions rated above `threshold` the score that no answer has.
void withhold_answers(const io::SquadData& data, std::span<const NoAnswerRating> ratings, double threshold,
                      std::span<QuestionScore> scores);

// Adds the best scores to `evaluation`. `scores` are those of `predictions`, of which none is withheld; of ratings that
// are equal the earlier in the list is taken in first. `nothing` is the threshold to name where it is best to answer
// nothing; officially 0.
void find_best_scores(const io::SquadData& data, std::span<const std::string> predictions,
                      std::span<const QuestionScore> scores, std::span<const NoAnswerRating> ratings, double nothing,
                      Evaluation& evaluation);

}  // namespace phasor::squad
