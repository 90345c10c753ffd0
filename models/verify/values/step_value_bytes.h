// What the values of a step take that are kept to be compared (step_values.h).
#pragma once

#include <cstdint>

#include "models/config/resolved_run.h"

namespace phasor::run {

// Of all replicas and micro-batches, from the programs alone.
std::int64_t step_value_bytes(const ResolvedRun& run);

}  // namespace phasor::run
