// Files of a JSON object a line (.jsonl), of which the field "text" is a document.
#pragma once

#include <string>
#include <string_view>

namespace phasor::io {

// The text of a line, a part of `file`, which is all that the file `path` holds; empty where the line is blank. A line
// that is no JSON object or has no such text is a UserError that names it by its number. For any number of threads.
std::string text_of_line(const std::string& path, std::string_view file, std::string_view line);

}  // namespace phasor::io
