// Exact match and F1 of one answer as SQuAD's official evaluation scripts define them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/datasets/squad.h"

namespace phasor::squad {

// Lower case, without ASCII punctuation, without the words a, an and the, words joined by single spaces. Characters
// are classified as Python's str and re do it.
std::string normalize_answer(std::string_view text);

bool exact_match(std::string_view prediction, std::string_view gold);

// Which script: they differ for an answer of which normalization leaves nothing.
enum class Rules : std::uint8_t {
  V1,  // such an answer has F1 = 0, whatever it is compared with
  V2,  // F1 = 1 if nothing is left of both
};

// Harmonic mean of the precision and recall of the words, each counted as often as it occurs.
double f1_score(std::string_view prediction, std::string_view gold, Rules rules);

// Of one question, between 0 and 1.
struct QuestionScore {
  double exact = 0;
  double f1 = 0;
};

// `prediction` is "" for no answer. Each measure takes the gold answer that suits it best; a question without any
// scores 1 for an answer of which nothing is left and 0 for anything else.
QuestionScore score_question(const io::SquadQuestion& question, std::string_view prediction, Rules rules);

}  // namespace phasor::squad
