#include "engine/kernels/optimizers/descent.h"

#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

namespace {

void plain_run(DescentSettings settings, float rate, float scale, std::int64_t count, const float* w, const float* g,
               float* new_w) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) new_w[i] = w[i] - rate * (g[i] * scale + settings.weight_decay * w[i]);
}

void momentum_run(DescentSettings settings, float rate, float scale, std::int64_t count, const float* w, const float* m,
                  const float* g, float* new_w, float* new_m) {
  const float ahead = settings.nesterov ? settings.momentum : 1, now = settings.nesterov ? 1 : 0;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) {
    const float gradient = g[i] * scale + settings.weight_decay * w[i];
    const float moved = settings.momentum * m[i] + gradient;
    new_w[i] = w[i] - rate * (now * gradient + ahead * moved);
    new_m[i] = moved;
  }
}

}  // namespace

void descent(const DescentSettings& settings, const AdamStep& step, float clip, const DescentUpdate& update) {
  const float scale = step.gradient_scale * clip, rate = step.learning_rate;
  parallel_for_ranges(static_cast<std::int64_t>(update.w.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    const auto& [w, m, g, new_w, new_m, rounded_w] = update;
    const std::int64_t count = end - begin;
    if (m.empty()) {
      plain_run(settings, rate, scale, count, w.data() + begin, g.data() + begin, new_w.data() + begin);
    } else {
      momentum_run(settings, rate, scale, count, w.data() + begin, m.data() + begin, g.data() + begin,
                   new_w.data() + begin, new_m.data() + begin);
    }
    if (rounded_w.empty()) return;
    for (std::int64_t i = begin; i < end; ++i) rounded_w[i] = to_bfloat16(new_w[i]);
  });
}

}  // namespace phasor::kernels
