// The result of a comparison for people, and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "models/verify/recorded_run.h"

namespace phasor::run {

// One line where all executions are equal; else, of each that is not, where it parts and how it goes on. Ends with the
// end of a line.
std::string to_text(const VerifyResult& result);

nlohmann::ordered_json to_json(const VerifyResult& result);

// Writes a page that stands alone, with a picture of how each difference grows.
void write_html(const VerifyResult& result, const std::string& path);

// The same of two logs.
std::string to_text(const LogComparison& comparison);
nlohmann::ordered_json to_json(const LogComparison& comparison);

// "[3, 17]" of element 129 of f32[4, 42]: its place in every dimension.
std::string element_text(const Shape& shape, std::int64_t element);

}  // namespace phasor::run
