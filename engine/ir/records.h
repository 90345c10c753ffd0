// Records that programs keep on the device as small tensors: what they are there.
#pragma once

#include "engine/base/tensor.h"

namespace phasor {

// What a RandomPosition is on the device, and behind it the number of the slice, 0 in a stage that is not sliced.
inline const TensorSpec kRandomPositionSpec{DType::i64, {5}};
// What an UpdatePosition is on the device: seed, step, replica, stage, slice.
inline const TensorSpec kUpdatePositionSpec{DType::i64, {5}};
// What AdamStep is on the device.
inline const TensorSpec kAdamStepSpec{DType::f32, {4}};
// What an exact sum of squares is on the device (kernels/square_sum.h).
inline const TensorSpec kSquareSumSpec{DType::i64, {20}};

}  // namespace phasor
