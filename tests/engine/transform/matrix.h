// What the graphs of these tests are made of.
#pragma once

#include "engine/ir/builder.h"

namespace phasor::test {

inline const TensorSpec kMatrix{DType::f32, {3, 3}};

}  // namespace phasor::test
