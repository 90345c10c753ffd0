// Where a YAML text goes on behind its first document, which is all that the library reads when asked for one.
#pragma once

#include <string_view>

namespace phasor::run {

// The number of the line, from 1, where a second document begins that holds anything; 0 where there is none. Documents
// are told apart by their markers alone, which YAML allows nowhere else at the beginning of a line.
int line_of_second_document(std::string_view yaml);

}  // namespace phasor::run
