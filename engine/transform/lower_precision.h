// Mixed precision: from a stage in float32 to one that computes in bfloat16.
// Micikevicius et al., "Mixed Precision Training", 2018.
#pragma once

#include "engine/ir/stage.h"

namespace phasor {

// Activations, and the variables that are only multiplied or looked up (weights, embedding tables), become bf16; their
// shapes and order stay. f32 stay: what is added or scales (biases, gains), statistics of norms and attention, the
// loss, results, and what leads from a last product to them; x that nothing takes in bf16, too. Kernels compute in f32
// throughout. y comes out in the type in which the next stage takes it.
Stage lower_precision(const Stage& stage, DType y = DType::bf16);

}  // namespace phasor
