// What a change of the configuration is allowed to do to the bits. docs/numerics.md says the same to people.
#pragma once

#include <string>
#include <vector>

#include "models/config/config_changes.h"
#include "models/verify/values/disturbance.h"

namespace phasor::run {

struct Expectation {
  Rounding rounding = Rounding::none;
  std::string why;  // "execution.data_parallel divides sums otherwise"; "" where no bit may change
};

// Of two runs whose configurations differ in these keys.
Expectation expectation_of(const RunConfig& a, const RunConfig& b, const std::vector<ConfigChange>& changes);

}  // namespace phasor::run
