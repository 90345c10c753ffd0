// The result of a comparison for people.
#pragma once

#include <string>

#include "models/verify/compare/recorded_run.h"

namespace phasor::run {

// One line where all executions are equal; else, of each that is not, where it parts and how it goes on. Ends with the
// end of a line.
std::string to_text(const VerifyResult& result);

// The same of two logs.
std::string to_text(const LogComparison& comparison);

}  // namespace phasor::run
