// JSON that people hand in: parsing and describing it in messages.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "io/listener/listener.h"

namespace phasor::io {

// What a message says of a value's kind: "a list".
std::string_view json_kind(const nlohmann::json& value);

// The value at the path of keys, null where there is none.
const nlohmann::json& json_at(const nlohmann::json& document, std::initializer_list<const char*> keys);

// What a message can show of a text, which is valid UTF-8: its beginning, on one line.
std::string shown(std::string_view text);

// The document in `bytes`, the content of the file `path`. What is not JSON is a UserError that begins with `subject`,
// names the place and asks for the kind: "squad: 'dev.json' is not valid JSON at line 3 ... Is this a SQuAD file?".
// `progress`, if any, advances by the text's KiB.
nlohmann::json parse_json(std::string_view subject, const std::string& path, const std::string& bytes,
                          std::string_view kind, Progress* progress = nullptr);

}  // namespace phasor::io
