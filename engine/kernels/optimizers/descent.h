// Gradient descent with momentum, on any flat part of a variable.
#pragma once

#include "engine/kernels/optimizers/optimizer.h"

namespace phasor::kernels {

struct DescentSettings {
  float momentum = 0;
  float weight_decay = 0;  // L2: part of the gradient
  bool nesterov = false;
};

// A part of a variable and its momentum, before and after. The new spans may be the old; those of the momentum are
// empty where there is none.
struct DescentUpdate {
  std::span<const float> w, m, g;
  std::span<float> new_w, new_m;
  std::span<bfloat16> rounded_w;  // unless empty, new_w rounded to bfloat16
};

// g' = g * gradient_scale * clip + weight_decay w;  m = momentum m + g';
// w -= learning_rate * m, or under Nesterov learning_rate * (g' + momentum m); without momentum learning_rate * g'.
// As PyTorch has it: the learning rate is no part of m.
void descent(const DescentSettings& settings, const AdamStep& step, float clip, const DescentUpdate& update);

}  // namespace phasor::kernels
