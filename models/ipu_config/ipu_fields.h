// The fields of optimum-graphcore's ipu_config.json: names, kinds, defaults and ranges. One table serves reading,
// setting and writing.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace phasor::ipu {

using Json = nlohmann::ordered_json;

enum class FieldKind : std::uint8_t { boolean, whole, real_or_reals, wholes, text, object };

struct Field {
  std::string_view name;
  FieldKind kind{};
  const char* standard = "null";  // JSON
  bool optional = false;          // may be null
  double least = 0;               // of numbers, of each element of lists
  bool bounded = false;           // whether `least` counts
};

// In alphabetical order, as files have them.
std::span<const Field> fields();
// Null where there is none of that name.
const Field* find_field(std::string_view name);

// What a value of that kind is called: "a whole number".
std::string kind_text(const Field& field);
bool is_of_kind(const Field& field, const Json& value);

}  // namespace phasor::ipu
