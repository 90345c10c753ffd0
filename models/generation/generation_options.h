// What text that goes on is asked to be like.
#pragma once

#include <map>
#include <string>

#include "models/generation/sampler.h"
#include "models/gpt2/config.h"

namespace phasor::generation {

// Names of the options, as the command line and Task::PredictRequest have them.
inline constexpr const char *kTokens = "tokens", *kTemperature = "temperature", *kTopK = "top-k", *kTopP = "top-p";

struct GenerationOptions {
  std::int64_t tokens = 128;  // new ones of a sequence at most; 0: as many as the model has positions for
  SamplingOptions sampling;

  // That a prompt has to leave room for.
  std::int64_t least_tokens() const { return tokens > 0 ? tokens : 1; }
};

// Those of `given`, names to values, and defaults for the others. What is no such value, and more tokens than the model
// has positions for besides a prompt's, is a UserError.
GenerationOptions read_options(const std::map<std::string, std::string>& given, const gpt2::Config& model,
                               std::int64_t seed);

}  // namespace phasor::generation
