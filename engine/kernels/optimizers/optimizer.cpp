#include "engine/kernels/optimizers/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/kernels/simd/pieces.h"
#include "engine/kernels/square_sum.h"

namespace phasor::kernels {

namespace {

// Settings come by value: the compiler then knows that no store changes them.
void adam_run(AdamSettings settings, AdamStep step, float scale, std::int64_t count, const float* w, const float* m,
              const float* v, const float* g, float* new_w, float* new_m, float* new_v) {
  const auto beta1 = static_cast<float>(settings.beta1), rest1 = static_cast<float>(1 - settings.beta1);
  const auto beta2 = static_cast<float>(settings.beta2), rest2 = static_cast<float>(1 - settings.beta2);
  const float l2 = settings.decoupled ? 0 : settings.weight_decay;
  const float decay = settings.decoupled ? settings.weight_decay : 0;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) {
    const float gradient = g[i] * scale + l2 * w[i];
    const float mean = beta1 * m[i] + rest1 * gradient;
    const float square = beta2 * v[i] + rest2 * gradient * gradient;
    const float direction = mean * step.correction1 / (std::sqrt(square * step.correction2) + settings.eps);
    new_w[i] = w[i] - step.learning_rate * (direction + decay * w[i]);
    new_m[i] = mean;
    new_v[i] = square;
  }
}

void round_run(const float* x, std::int64_t count, bfloat16* y) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) y[i] = to_bfloat16(x[i]);
}

}  // namespace

void adam(const AdamSettings& settings, const AdamStep& step, float clip, const AdamUpdate& update) {
  constexpr std::int64_t kRun = 1024;  // elements that are still in the first-level cache when they are rounded
  const float scale = step.gradient_scale * clip;
  parallel_for_ranges(static_cast<std::int64_t>(update.w.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    const auto& [w, m, v, g, new_w, new_m, new_v, rounded_w] = update;
    for (std::int64_t i = begin; i < end; i += kRun) {
      const std::int64_t count = std::min(kRun, end - i);
      adam_run(settings, step, scale, count, w.data() + i, m.data() + i, v.data() + i, g.data() + i, new_w.data() + i,
               new_m.data() + i, new_v.data() + i);
      if (!rounded_w.empty()) round_run(new_w.data() + i, count, rounded_w.data() + i);
    }
  });
}

void clip_factor(float max_norm, float gradient_scale, std::span<const std::int64_t> sharded,
                 std::span<const std::int64_t> whole, std::span<float> clip, std::span<float> norm) {
  std::array<std::int64_t, kSquareSumNumbers> sum{};
  add_square_sums(sharded, sum);
  add_square_sums(whole, sum);
  const double exact = gradient_scale * std::sqrt(square_sum_value(sum));
  clip[0] = static_cast<float>(max_norm / std::max(exact, double{max_norm}));
  norm[0] = static_cast<float>(exact);
}

}  // namespace phasor::kernels
