// Gaussian error linear unit, exact form: y = x Phi(x) = x/2 (1 + erf(x / sqrt 2)). Hendrycks and Gimpel, 2016.
#pragma once

#include <span>

namespace phasor::kernels {

void gelu(std::span<const float> x, std::span<float> y);

// dx = dy (Phi(x) + x phi(x)), phi the density of the standard normal. dx may be dy itself.
void gelu_gradient(std::span<const float> x, std::span<const float> dy, std::span<float> dx);

}  // namespace phasor::kernels
