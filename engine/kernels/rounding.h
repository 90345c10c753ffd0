// Stochastic rounding to bfloat16: up or down by chance, so that the mean is what was rounded and small updates of a
// weight are not lost. Gupta et al., "Deep Learning with Limited Numerical Precision", 2015.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/bfloat16.h"
#include "engine/base/random.h"

namespace phasor::kernels {

// Draws are told apart from those of a stage's graph by their site, kRoundingSite, and from each other by `sample`.
// y[i] = one of the two neighbours of x[i] in bfloat16, the nearer the likelier: 16 random bits, those of element
// first + i of `sample`, are added below the last bit that stays. What is exact in bfloat16, is infinite or is not a
// number is not changed; beyond the largest bfloat16 comes infinity.
void stochastic_round(const RandomPosition& position, std::int64_t sample, std::int64_t first, std::span<const float> x,
                      std::span<bfloat16> y);

}  // namespace phasor::kernels
