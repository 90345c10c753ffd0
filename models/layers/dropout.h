// Dropout at a site of its own.
#pragma once

#include "engine/ir/stage_builder.h"

namespace phasor::layers {

// x itself where the probability is 0.
// `segments` may be invalid: the first dimension of x counts samples.
Value dropout(StageBuilder& b, Value x, float probability, Value segments = {});

}  // namespace phasor::layers
