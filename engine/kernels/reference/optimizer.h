// Reference of engine/kernels/optimizers/optimizer.h.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/kernels/optimizers/optimizer.h"

namespace phasor::reference {

using kernels::AdamSettings;
using kernels::AdamStep;

// g' = g * gradient_scale * clip (+ weight_decay w);  m = beta1 m + (1 - beta1) g';  v = beta2 v + (1 - beta2) g'^2;
// w -= learning_rate * (m correction1 / (sqrt(v correction2) + eps) (+ weight_decay w))
template <class T>
void adam(const AdamSettings& settings, const AdamStep& step, float clip, std::span<const T> w, std::span<const T> m,
          std::span<const T> v, std::span<const T> g, std::span<T> new_w, std::span<T> new_m, std::span<T> new_v) {
  const T beta1(settings.beta1), beta2(settings.beta2);
  const T l2 = settings.decoupled ? 0 : settings.weight_decay, decay = settings.decoupled ? settings.weight_decay : 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const T gradient = g[i] * T(step.gradient_scale) * T(clip) + l2 * w[i];
    const T mean = beta1 * m[i] + (1 - beta1) * gradient;
    const T square = beta2 * v[i] + (1 - beta2) * gradient * gradient;
    const T direction = mean * T(step.correction1) / (std::sqrt(square * T(step.correction2)) + T(settings.eps));
    new_w[i] = w[i] - T(step.learning_rate) * (direction + decay * w[i]);
    new_m[i] = mean;
    new_v[i] = square;
  }
}

// clip = max_norm / max(norm, max_norm),  norm = gradient_scale * sqrt(square_sum)
template <class T>
void clip_factor(float max_norm, float gradient_scale, T square_sum, std::span<T> clip, std::span<T> norm) {
  norm[0] = T(gradient_scale) * std::sqrt(square_sum);
  clip[0] = T(max_norm) / std::max(norm[0], T(max_norm));
}

}  // namespace phasor::reference
