// LAMB: Adam whose step on a variable is as long as the variable's weights are large (You et al., "Large Batch
// Optimization for Deep Learning", 2019). What it takes of a whole variable are two norms, of sums that are exact
// (square_sum.h), so that no shards and no slices show in them. Two passes: the moments and the sums of all parts, then
// the weights.
#pragma once

#include "engine/kernels/optimizers/optimizer.h"
#include "engine/kernels/square_sum.h"

namespace phasor::kernels {

// The sum of the squares of w, and behind it that of the squares of the direction.
inline constexpr int kLambNumbers = 2 * kSquareSumNumbers;

// A part of a variable, in front of its step. The new moments may be the old ones.
struct LambMoments {
  std::span<const float> w, m, v, g;
  std::span<float> new_m, new_v;
  std::span<std::int64_t> sums;  // those of the parts before; this one's are added
};

// g', m and v as of Adam (optimizer.h), the decay always decoupled;
// direction = m correction1 / (sqrt(v correction2) + eps) + weight_decay w.
void lamb_moments(const AdamSettings& settings, const AdamStep& step, float clip, const LambMoments& update);

// |w| / |direction|, 1 where either is zero; not a number where either is not finite. `sums` are those of one part or
// of several, one behind the other.
float lamb_ratio(std::span<const std::int64_t> sums);

// A part of a variable with its new moments. new_w may be w.
struct LambWeights {
  std::span<const float> w, m, v;
  std::span<float> new_w;
  std::span<bfloat16> rounded_w;  // unless empty, new_w rounded to bfloat16
};

// w -= learning_rate ratio direction
void lamb_weights(const AdamSettings& settings, const AdamStep& step, float ratio, const LambWeights& update);

}  // namespace phasor::kernels
