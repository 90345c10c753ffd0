// The convnet as stages: block1, block2, linear, head.
#pragma once

#include "engine/ir/stage.h"
#include "models/convnet/config.h"
#include "models/layers/micro_batch.h"

namespace phasor::convnet {

// Batch tensors, with B samples a micro-batch:
//   images         f32 [B, image channels, image size, image size]
//   labels         i32 [B]
//   label_weights  f32 [B]: of each label in the loss
// There is no table to slice: `slices` is for architectures that have one.

// With loss = sum over samples of weight * cross-entropy.
Stages training_stages(const Config& config, layers::MicroBatch batch, std::int64_t slices = 1);

// The result "logits" is f32 [B, classes].
Stages inference_stages(const Config& config, layers::MicroBatch batch, std::int64_t slices = 1);

}  // namespace phasor::convnet
