// Whole files in memory.
#pragma once

#include <string>
#include <string_view>

namespace phasor::io {

// The bytes of the file. A file that cannot be read is a UserError that begins with `subject`: "squad: 'dev.json' ...".
std::string read_file(std::string_view subject, const std::string& path);

}  // namespace phasor::io
