// Words about numbers, places and differences.
#pragma once

#include <cstdint>
#include <string>

#include "models/verify/compare/result.h"

namespace phasor::run {

// With commas between thousands.
std::string count_text(std::int64_t count);
// "1 step", "1,024 steps"; "2 losses".
std::string plural(std::int64_t count, const std::string& one);
std::string plural(std::int64_t count, const char* one, const char* many);

// "[3, 17]" of element 129 of f32[4, 42]: its place in every dimension.
std::string element_text(const Shape& shape, std::int64_t element);

// "step 3, phase 'gradient layer 1', micro-batch 2"
std::string place_text(const VerifiedDifference& difference);
// The tensor, the element, both numbers, and how many of them differ.
std::string tensor_text(const VerifiedDifference& difference);

}  // namespace phasor::run
