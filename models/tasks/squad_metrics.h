// Exact match and F1 as SQuAD's official evaluation scripts define them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/squad.h"

namespace phasor::tasks {

// Lower case, without ASCII punctuation, without the words a, an and the, words joined by single spaces. Characters
// are classified as Python's str and re do it.
std::string normalize_answer(std::string_view text);

bool exact_match(std::string_view prediction, std::string_view gold);

// Which script: they differ for an answer of which normalization leaves nothing.
enum class SquadRules : std::uint8_t {
  V1,  // such an answer has F1 = 0, whatever it is compared with
  V2,  // F1 = 1 if nothing is left of both
};

// Harmonic mean of the precision and recall of the words, each counted as often as it occurs.
double f1_score(std::string_view prediction, std::string_view gold, SquadRules rules);

struct SquadScores {
  double exact_match = 0;  // percent
  double f1 = 0;           // percent
  std::int64_t questions = 0;
};

// `predictions` has one text a question, "" for no answer. A question scores with the gold answer that suits it best.
// 2.0 rules apply where the data has impossible questions: they score 1 for "" and 0 for anything else.
SquadScores score_squad(const io::SquadData& data, std::span<const std::string> predictions);

}  // namespace phasor::tasks
