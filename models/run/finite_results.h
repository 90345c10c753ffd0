// What a model gives has to be numbers.
#pragma once

#include <span>
#include <string_view>

#include "engine/lower/units/options.h"

namespace phasor::run {

// Throws UserError where one of `values`, results of that name, is not finite.
void check_finite(std::string_view name, std::span<const float> values, Precision precision);

}  // namespace phasor::run
