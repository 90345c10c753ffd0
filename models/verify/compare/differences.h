// Differences that were measured, as the result tells of them.
#pragma once

#include <string>

#include "engine/program/pipeline.h"
#include "models/verify/compare/result.h"
#include "models/verify/compare/state_distance.h"
#include "models/verify/values/step_values.h"

namespace phasor::run {

// At the first element that differs.
VerifiedDifference difference_of(const TensorDistance& tensor, std::int64_t step);
VerifiedDifference difference_of(const ValueDistance& value, std::int64_t step);
VerifiedDifference difference_of_losses(double a, double b, const std::string& phase, std::int64_t step);

// The same at the farthest element.
VerifiedDifference at_largest(VerifiedDifference difference, const Distance& distance);

// The phase in which a step's loss is made: the first of the last device that is of the last stage.
std::string phase_of_loss(const Pipeline& pipeline);

}  // namespace phasor::run
