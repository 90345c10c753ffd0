#include "engine/kernels/optimizers/lamb.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

namespace {

constexpr std::int64_t kLambRun = 1024;  // directions that lie on the stack
using LambSums = std::array<std::int64_t, kLambNumbers>;

// One expression for both passes: the bits that were summed are the bits of the step.
void direction_run(AdamSettings settings, AdamStep step, std::int64_t count, const float* w, const float* m,
                   const float* v, float* direction) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) {
    const float moved = m[i] * step.correction1 / (std::sqrt(v[i] * step.correction2) + settings.eps);
    direction[i] = moved + settings.weight_decay * w[i];
  }
}

void moments_run(AdamSettings settings, float scale, std::int64_t count, const float* m, const float* v, const float* g,
                 float* new_m, float* new_v) {
  const auto beta1 = static_cast<float>(settings.beta1), rest1 = static_cast<float>(1 - settings.beta1);
  const auto beta2 = static_cast<float>(settings.beta2), rest2 = static_cast<float>(1 - settings.beta2);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) {
    const float gradient = g[i] * scale;
    new_m[i] = beta1 * m[i] + rest1 * gradient;
    new_v[i] = beta2 * v[i] + rest2 * gradient * gradient;
  }
}

}  // namespace

void lamb_moments(const AdamSettings& settings, const AdamStep& step, float clip, const LambMoments& update) {
  constexpr std::int64_t kMostPieces = 64;
  const float scale = step.gradient_scale * clip;
  const auto count = static_cast<std::int64_t>(update.w.size());
  const std::int64_t runs = (count + kGrain - 1) / kGrain;
  const std::int64_t length = std::max<std::int64_t>(1, (runs + kMostPieces - 1) / kMostPieces) * kGrain;
  std::array<LambSums, kMostPieces> parts{};
  parallel_for_ranges(count, length, [&](std::int64_t begin, std::int64_t end) {
    const auto& [w, m, v, g, new_m, new_v, sums] = update;
    const std::span part(parts[begin / length]);
    std::array<float, kLambRun> direction;
    for (std::int64_t i = begin; i < end; i += kLambRun) {
      const std::int64_t run = std::min(kLambRun, end - i);
      moments_run(settings, scale, run, m.data() + i, v.data() + i, g.data() + i, new_m.data() + i, new_v.data() + i);
      direction_run(settings, step, run, w.data() + i, new_m.data() + i, new_v.data() + i, direction.data());
      square_sum_alone(w.subspan(i, run), part.first(kSquareSumNumbers));
      square_sum_alone(std::span(direction).first(run), part.last(kSquareSumNumbers));
    }
  });
  for (const LambSums& part : parts) {
    add_square_sums(std::span(part).first(kSquareSumNumbers), update.sums.first(kSquareSumNumbers));
    add_square_sums(std::span(part).last(kSquareSumNumbers), update.sums.last(kSquareSumNumbers));
  }
}

float lamb_ratio(std::span<const std::int64_t> sums) {
  std::array<std::int64_t, kSquareSumNumbers> weights{}, directions{};
  for (std::size_t part = 0; part < sums.size(); part += kLambNumbers) {
    const auto own = sums.subspan(part, kLambNumbers);
    add_square_sums(own.first(kSquareSumNumbers), weights);
    add_square_sums(own.last(kSquareSumNumbers), directions);
  }
  const double weight = std::sqrt(square_sum_value(weights)), direction = std::sqrt(square_sum_value(directions));
  return weight == 0 || direction == 0 ? 1.0f : static_cast<float>(weight / direction);
}

void lamb_weights(const AdamSettings& settings, const AdamStep& step, float ratio, const LambWeights& update) {
  const float rate = step.learning_rate * ratio;
  parallel_for_ranges(static_cast<std::int64_t>(update.w.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    const auto& [w, m, v, new_w, rounded_w] = update;
    std::array<float, kLambRun> direction;
    for (std::int64_t i = begin; i < end; i += kLambRun) {
      const std::int64_t run = std::min(kLambRun, end - i);
      direction_run(settings, step, run, w.data() + i, m.data() + i, v.data() + i, direction.data());
      for (std::int64_t k = 0; k < run; ++k) new_w[i + k] = w[i + k] - rate * direction[k];
      if (rounded_w.empty()) continue;
      for (std::int64_t k = 0; k < run; ++k) rounded_w[i + k] = to_bfloat16(new_w[i + k]);
    }
  });
}

}  // namespace phasor::kernels
