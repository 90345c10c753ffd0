// What somebody meant who mistyped a name.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace phasor::io {

// The name that is most like the text; of equal ones the first. There is one at least.
const std::string& nearest(const std::string& text, const std::vector<std::string>& names);

}  // namespace phasor::io
