// The scores of a trained model's answers to the questions of data.dev.
#pragma once

#include "io/listener/listener.h"
#include "models/config/resolved_run.h"
#include "models/squad/scores.h"

namespace phasor::squad {

// With the weights of checkpoint.load, else of model.from. The best scores of 2.0 are those of the best spans, withheld
// where the score of "no answer" exceeds theirs by more than the threshold: what to give data.null_score_threshold.
Evaluation evaluate(const run::ResolvedRun& config, io::Listener& listener);

}  // namespace phasor::squad
