// How well a model predicts text.
#pragma once

#include <cstdint>

#include "io/listener/listener.h"
#include "models/config/resolved_run.h"
#include "models/run/scores.h"

namespace phasor::text {

struct Evaluation {
  double nats = 0;          // what predicting the tokens took: sum of -log of their probabilities
  std::int64_t tokens = 0;  // scored
  std::int64_t bytes = 0;   // of text that they stand for; 0: nobody knows

  double loss() const { return nats / static_cast<double>(tokens); }
};

// Of the text that evaluated_samples() has, with the weights of checkpoint.load, else of model.from.
Evaluation evaluate(const run::ResolvedRun& config, io::Listener& listener);

// Values: "loss", nats a token, "perplexity", its exponential, "tokens" and, where a vocabulary is given,
// "bits_per_byte" and "bytes".
run::Scores to_scores(const Evaluation& evaluation);

}  // namespace phasor::text
