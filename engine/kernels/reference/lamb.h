// Reference of engine/kernels/optimizers/lamb.h and descent.h.
#pragma once

#include <cmath>

#include "engine/kernels/optimizers/descent.h"
#include "engine/kernels/optimizers/lamb.h"

namespace phasor::reference {

// direction = m correction1 / (sqrt(v correction2) + eps) + weight_decay w, of the new moments
template <class T>
T lamb_direction(const kernels::AdamSettings& settings, const kernels::AdamStep& step, T w, T m, T v) {
  return m * T(step.correction1) / (std::sqrt(v * T(step.correction2)) + T(settings.eps)) +
         T(settings.weight_decay) * w;
}

// g' = g * gradient_scale * clip;  m = beta1 m + (1 - beta1) g';  v = beta2 v + (1 - beta2) g'^2
template <class T>
void lamb_moments(const kernels::AdamSettings& settings, const kernels::AdamStep& step, float clip,
                  std::span<const T> m, std::span<const T> v, std::span<const T> g, std::span<T> new_m,
                  std::span<T> new_v) {
  const T beta1(settings.beta1), beta2(settings.beta2);
  for (std::size_t i = 0; i < m.size(); ++i) {
    const T gradient = g[i] * T(step.gradient_scale) * T(clip);
    new_m[i] = beta1 * m[i] + (1 - beta1) * gradient;
    new_v[i] = beta2 * v[i] + (1 - beta2) * gradient * gradient;
  }
}

// w -= learning_rate ratio direction
template <class T>
void lamb_weights(const kernels::AdamSettings& settings, const kernels::AdamStep& step, T ratio, std::span<const T> w,
                  std::span<const T> m, std::span<const T> v, std::span<T> new_w) {
  for (std::size_t i = 0; i < w.size(); ++i) {
    new_w[i] = w[i] - T(step.learning_rate) * ratio * lamb_direction<T>(settings, step, w[i], m[i], v[i]);
  }
}

// g' = g * gradient_scale * clip + weight_decay w;  m = momentum m + g';  w -= learning_rate (m or g' + momentum m)
template <class T>
void descent(const kernels::DescentSettings& settings, const kernels::AdamStep& step, float clip, std::span<const T> w,
             std::span<const T> m, std::span<const T> g, std::span<T> new_w, std::span<T> new_m) {
  for (std::size_t i = 0; i < w.size(); ++i) {
    const T gradient = g[i] * T(step.gradient_scale) * T(clip) + T(settings.weight_decay) * w[i];
    const T moved = m.empty() ? gradient : T(settings.momentum) * m[i] + gradient;
    new_w[i] = w[i] - T(step.learning_rate) * (settings.nesterov ? gradient + T(settings.momentum) * moved : moved);
    if (!m.empty()) new_m[i] = moved;
  }
}

}  // namespace phasor::reference
