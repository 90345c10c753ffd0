// Layer normalisation with its scale and shift.
#pragma once

#include <string>

#include "engine/ir/stage_builder.h"

namespace phasor::layers {

// x [..., columns] -> the same shape. Declares name.weight, one, and name.bias, zero, both [columns] without decay.
Value layer_norm(StageBuilder& b, const std::string& name, Value x, float eps);

}  // namespace phasor::layers
