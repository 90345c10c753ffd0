// Variables that stay as they are.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/stage.h"

namespace phasor {

// The stages with every variable frozen (Variable::frozen) whose canonical names one of the patterns matches, in which
// * stands for any text and ? for a character. A stage of which some instances are frozen otherwise than others becomes
// several, one behind the other. Throws UserError where a pattern matches nothing or a part of a variable that is
// stored as one, or where nothing is left to learn.
Stages freeze(const Stages& stages, const std::vector<std::string>& patterns);

// The words of a text, which commas or blanks part.
std::vector<std::string> split_patterns(const std::string& text);

}  // namespace phasor
