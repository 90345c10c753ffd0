// Dropout at a site of its own.
#pragma once

#include "engine/ir/stage_builder.h"

namespace phasor::layers {

// x itself where the probability is 0.
Value dropout(StageBuilder& b, Value x, float probability);

}  // namespace phasor::layers
