// Replaces chains of ops by one op that does the same in one pass over memory.
#pragma once

#include <span>
#include <vector>

#include "engine/ir/stage.h"

namespace phasor {

// Fuses, where nothing else uses what lies between:
//   add(matmul(a, b), bias)                        -> matmul(a, b, bias)
//   layer_norm(add(dropout(x), residual))          -> dropout_add_norm(x, residual)
//   relu(max_pool2d(x))                            -> max_pool2d(x) with relu
// The results of the latter two are the same to the bit; a product with a bias rounds once instead of twice where its
// result is bf16. Values of the stage that have a role keep it.
Stage fuse(const Stage& stage);

}  // namespace phasor
