// JSON files that are one object, id to value, such as SQuAD's files of predictions. Members keep the order of the
// file.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasor::io {

template <class Value>
using JsonMembers = std::vector<std::pair<std::string, Value>>;

// Objects of texts or of numbers alone. Of a key that occurs twice the last value counts, at the place of the first, as
// in Python. Anything else is a UserError of one line that begins with `subject`: "predictions: 'a.json' ...".
JsonMembers<std::string> read_json_texts(std::string_view subject, const std::string& path);
JsonMembers<double> read_json_numbers(std::string_view subject, const std::string& path);

// A text as JSON, in quotes. `text` must be valid UTF-8.
std::string json_quote(std::string_view text);

// Writes an object, a member a line; the values are JSON already. The file appears whole or not at all.
void write_json_members(const std::string& path, const JsonMembers<std::string>& members);

}  // namespace phasor::io
