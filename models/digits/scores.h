// How many images were told right, and which were not.
#pragma once

#include <span>

#include "models/digits/images.h"
#include "models/digits/reading.h"
#include "models/run/scores.h"

namespace phasor::digits {

// Values: "accuracy" in percent, "images", and "confusion", of each label a row of how often it was taken for which
// digit. The figure shows the wrong ones, those first of which the model was surest. A reading for each image.
run::Scores score(const Images& images, std::span<const Reading> readings);

}  // namespace phasor::digits
