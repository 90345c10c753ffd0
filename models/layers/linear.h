// y = x W' + b
#pragma once

#include <string>

#include "engine/ir/stage_builder.h"

namespace phasor::layers {

// x [..., inputs] -> [..., outputs]. Declares name.weight [outputs, inputs], truncated normal of that deviation, and
// name.bias [outputs], zero, on which no weight decay acts.
Value linear(StageBuilder& b, const std::string& name, Value x, std::int64_t outputs, float deviation);

// The same with both uniform within 1 / sqrt(inputs), as PyTorch's Linear begins.
Value uniform_linear(StageBuilder& b, const std::string& name, Value x, std::int64_t outputs);

// y = x W + b with name.weight [inputs, outputs] that begins so, and the same name.bias.
Value projection(StageBuilder& b, const std::string& name, Value x, std::int64_t outputs, const Initialiser& of_weight);

}  // namespace phasor::layers
