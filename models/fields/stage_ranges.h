// Which stage instances the parts of a pipeline have, as people write it.
#pragma once

#include <string>
#include <vector>

namespace phasor::run {

// Of '0-3, 4-7, 8' or '[0-3, 4-7, 8]' the first of each, 0, 4 and 8, and behind them the number of all, 9. Ranges
// follow one another from 0 on. Empty of "". Throws UserError for anything else.
std::vector<int> parse_stage_ranges(const std::string& text);

}  // namespace phasor::run
