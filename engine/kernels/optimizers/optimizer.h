// What moves the weights: Adam, on any flat part of a variable (a shard), and clipping by the gradient's norm.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/bfloat16.h"

namespace phasor::kernels {

struct AdamSettings {
  double beta1 = 0.9, beta2 = 0.999;  // 1 - beta is rounded to float from the exact difference
  float eps = 1e-6f;
  float weight_decay = 0;
  bool decoupled = true;  // weight decay as in AdamW, Loshchilov and Hutter, 2017; else L2, part of the gradient
};

// The numbers that change from step to step.
struct AdamStep {
  float learning_rate = 0;
  float gradient_scale = 1;  // what the gradient is multiplied by first: undoes loss scaling
  float correction1 = 1;     // 1 / (1 - beta1^t), or 1 without bias correction
  float correction2 = 1;     // 1 / (1 - beta2^t), or 1
};

// A part of a variable and its state, before and after. The spans are of one length; the new ones may be the old.
struct AdamUpdate {
  std::span<const float> w, m, v, g;
  std::span<float> new_w, new_m, new_v;
  std::span<bfloat16> rounded_w;  // unless empty, new_w rounded to bfloat16: what the next step computes with
};

// Kingma and Ba, 2014. g' = g * gradient_scale * clip (+ weight_decay w, if not decoupled);
// m = beta1 m + (1 - beta1) g';  v = beta2 v + (1 - beta2) g'^2;
// w -= learning_rate * (m correction1 / (sqrt(v correction2) + eps) (+ weight_decay w, if decoupled)).
// Each element's result depends on that element alone, to the bit, wherever it lies in the span: shards of any size
// give the same weights.
void adam(const AdamSettings& settings, const AdamStep& step, float clip, const AdamUpdate& update);

// Clipping by global norm: norm[0] = gradient_scale * sqrt(sum of all sums);  clip[0] = max_norm / max(norm, max_norm).
// `sharded` holds sums as square_sum.h has them, one behind the other, and `whole` another one.
void clip_factor(float max_norm, float gradient_scale, std::span<const std::int64_t> sharded,
                 std::span<const std::int64_t> whole, std::span<float> clip, std::span<float> norm);

}  // namespace phasor::kernels
