// How a difference grows, layer by layer and step by step.
#pragma once

#include <string>
#include <vector>

#include "io/figures/page.h"
#include "models/verify/compare/result.h"
#include "models/verify/compare/state_distance.h"

namespace phasor::run {

// Adds a step with these distances.
void add_growth(DifferenceGrowth& growth, std::int64_t step, const std::vector<TensorDistance>& state);

// A table of it, a line a layer, of the first steps and the last one.
std::string growth_text(const DifferenceGrowth& growth);

// The same as curves of its decimal logarithm, a layer each, of eight layers at most.
io::Figure growth_figure(const VerifiedPair& pair);

}  // namespace phasor::run
