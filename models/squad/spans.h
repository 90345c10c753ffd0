// From the model's start and end logits to answers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/datasets/squad.h"
#include "models/squad/features.h"

namespace phasor::squad {

struct SpanSettings {
  std::int64_t n_best = 20;             // starts and ends of a feature that are combined, and spans kept of a question
  std::int64_t max_answer_tokens = 30;  // longer spans are no answers
  float null_threshold = 0;             // "no answer" if its score exceeds the best span's by more than this
};

struct AnswerSpan {
  std::int64_t char_begin = 0;  // [char_begin, char_end) code points of the context; equal for "no answer"
  std::int64_t char_end = 0;
  float start_logit = 0;
  float end_logit = 0;

  float score() const { return start_logit + end_logit; }
  friend bool operator==(const AnswerSpan&, const AnswerSpan&) = default;
};

// The answer to one question and what else was considered.
struct Prediction {
  std::string text;               // cut from the context; empty for "no answer"
  AnswerSpan null;                // [CLS] of the feature where its score is lowest
  std::vector<AnswerSpan> spans;  // best first, at most n_best, no two of the same characters

  // By how much the score of "no answer" exceeds the best span's. The largest float where there is no span.
  float null_odds() const;
};

// An answer that was considered, and its share of the softmax over the scores of all that were.
struct AnswerCandidate {
  std::string text;
  double probability = 0;
  AnswerSpan span;
};

// Collects the logits of features, in any order, and answers the questions they belong to. One thread at a time.
// The result does not depend on the order: of equal scores the earlier and then the shorter span ranks first.
class SpanSearch {
 public:
  // Both must outlive the search; the features keep their characters.
  SpanSearch(const io::SquadData& data, const Features& features, const SpanSettings& settings);

  // Logits of the feature's tokens, padding excluded: features.length(feature) each.
  void add(std::int64_t feature, std::span<const float> start_logits, std::span<const float> end_logits);

  // One a question, in their order. A question of which no feature was added has no answer. "No answer" competes with
  // the spans only where the data has impossible questions.
  std::vector<Prediction> predictions() const;

  // What was considered for a prediction of that question, best first: its spans and, where it competes or nothing else
  // is there, "no answer". Where SpanSettings::null_threshold is not 0, the prediction may be another than the first.
  std::vector<AnswerCandidate> candidates(std::int64_t question) const;

  // What the span cuts from the question's context.
  std::string text_of(std::int64_t question, const AnswerSpan& span) const;

 private:
  const io::SquadData& data_;
  const Features& features_;
  SpanSettings settings_;
  std::vector<Prediction> found_;  // [questions] without text
};

}  // namespace phasor::squad
