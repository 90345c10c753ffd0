// What a trained model takes images for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/listener/listener.h"
#include "models/config/resolved_run.h"
#include "models/digits/samples.h"

namespace phasor::digits {

struct Reading {
  std::int32_t digit = 0;  // of the greatest logit; of equals, the first
  double probability = 0;  // that the model gives it
};

Reading read_logits(std::span<const float> logits);

// Of each image, with the weights of checkpoint.load.
std::vector<Reading> read_images(const run::ResolvedRun& config, const ImageSamples& samples, io::Listener& listener);

// A line of image, digit and probability for each reading, below a header.
std::string to_csv(std::span<const Reading> readings);

}  // namespace phasor::digits
