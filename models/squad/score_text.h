// Scores as people and as programs read them.
#pragma once

#include "models/run/scores.h"
#include "models/squad/scores.h"

namespace phasor::squad {

// Values are exact_match, f1 and questions and, for 2.0, what the official script reports, under its names.
run::Scores to_scores(const Evaluation& evaluation);

}  // namespace phasor::squad
