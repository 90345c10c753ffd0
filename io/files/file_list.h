// Many files in one setting: "a.txt, parts/*.jsonl, ~/more.txt".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace phasor::io {

// The files that a list, divided by commas, stands for, in its order. An entry is the name of a file, or a pattern of
// glob(3), which stands for what it matches in the order of their bytes; "~" at its beginning is the home folder. A
// list that is the name of a file as a whole is that file. An entry that stands for nothing, a file that is in the list
// twice and a list without entries are UserErrors of one line that begin with `subject`: "text: ...".
std::vector<std::string> find_files(std::string_view subject, const std::string& list);

}  // namespace phasor::io
