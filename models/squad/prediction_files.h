// The files in which SQuAD's official scripts and Transformers keep answers: predictions.json (id -> text, "" for no
// answer), nbest_predictions.json (id -> candidates) and null_odds.json (id -> by how much "no answer" outscores the
// best span).
#pragma once

#include <cstdint>
#include <string>

#include "models/squad/scores.h"
#include "models/squad/spans.h"

namespace phasor::squad {

struct ScoredFiles {
  std::string predictions;
  std::string no_answer_probabilities;  // id -> number; or empty
  double probability_threshold = 1;     // answers whose number is above it are withheld
};

// Scores a file of predictions against the SQuAD file `data` as the official script does. With 1.1 a question that it
// does not answer scores 0; 2.0 wants every question answered, and best scores need the numbers. `unanswered` receives
// how many questions have no prediction.
Evaluation evaluate_predictions(const std::string& data, const ScoredFiles& files, std::int64_t& unanswered);

// Writes the three files to the folder `output`, which is made if missing; null_odds.json where the data has impossible
// questions.
void write_predictions(const std::string& output, const io::SquadData& data, const SpanSearch& search);

}  // namespace phasor::squad
