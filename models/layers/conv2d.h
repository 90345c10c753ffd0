// A convolution with its kernels and biases.
#pragma once

#include <string>

#include "engine/ir/stage_builder.h"

namespace phasor::layers {

// x [batch, channels, height, width] -> [batch, outputs, ...]. Declares name.weight [outputs, channels, kernel_size,
// kernel_size] and name.bias [outputs], on which no weight decay acts, both uniform within 1 / sqrt(taps of a pixel).
Value conv2d(StageBuilder& b, const std::string& name, Value x, std::int64_t outputs, std::int64_t kernel_size);

}  // namespace phasor::layers
