// What somebody types.
#pragma once

#include <string>

namespace phasor::cli {

// Whether there is nothing but white space.
bool is_blank(const std::string& text);

// The next line of standard input that is more than white space, with U+FFFD for what is not UTF-8; false at its end. A
// person, not a pipe, is told what is expected.
bool read_line(const char* expected, std::string& line);

}  // namespace phasor::cli
