// How PyTorch begins: weights and biases of linear and convolution layers uniform within 1 / sqrt(inputs of a sum).
#pragma once

#include <cmath>

#include "engine/ir/stage.h"

namespace phasor::layers {

inline Initialiser uniform_of(std::int64_t inputs) {
  return {.kind = Initialiser::Kind::uniform, .limit = 1 / std::sqrt(static_cast<float>(inputs))};
}

}  // namespace phasor::layers
