// What a configuration may ask for: a range for every number, and bounds of what the numbers make together.
#pragma once

#include "models/config/run_config.h"

namespace phasor::run {

// Throws UserError, naming key, value, range and reason, where a number is outside its range.
void check_ranges(const RunConfig& config);

// Throws UserError, showing the arithmetic, where tensors, the state, activations or the program are more than can be
// addressed, or threads more than a machine runs. The ranges have been checked.
void check_totals(const RunConfig& config);

// The most that a program may list: each of its steps calls every micro-batch in every layer.
inline constexpr std::int64_t kMostCalls = 1 << 20;

// The most threads that are of use to anybody here: many times the machine's processors, or those of a larger one that
// is planned for.
std::int64_t most_threads();

}  // namespace phasor::run
