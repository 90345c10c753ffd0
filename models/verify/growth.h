// How a difference grows, layer by layer and step by step.
#pragma once

#include <vector>

#include "io/figures/page.h"
#include "models/verify/result.h"
#include "models/verify/state_distance.h"

namespace phasor::run {

// Adds a step with these distances.
void add_growth(DifferenceGrowth& growth, std::int64_t step, const std::vector<TensorDistance>& state);

// The same as curves of its decimal logarithm, a layer each, of eight layers at most.
io::Figure growth_figure(const VerifiedPair& pair);

}  // namespace phasor::run
