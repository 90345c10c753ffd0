// The result of a comparison as a page.
#pragma once

#include <string>

#include "models/verify/compare/result.h"

namespace phasor::run {

// Writes a page that stands alone, with a picture of how each difference grows.
void write_html(const VerifyResult& result, const std::string& path);

}  // namespace phasor::run
