// The result of a comparison for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "models/verify/compare/recorded_run.h"

namespace phasor::run {

nlohmann::ordered_json to_json(const VerifyResult& result);
nlohmann::ordered_json to_json(const LogComparison& comparison);

}  // namespace phasor::run
