// Scores as people and as programs read them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "models/squad/scores.h"

namespace phasor::cli {

void print_scores(const run::SquadEvaluation& scores);

// Adds exact_match, f1 and questions and, for 2.0, what the official script reports, under its names.
void add_scores(const run::SquadEvaluation& scores, nlohmann::ordered_json& json);

}  // namespace phasor::cli
