#include "io/datasets/json_lines.h"

#include <algorithm>

#include "engine/base/error.h"
#include "io/json/json_text.h"
#include "io/text/utf8.h"

namespace phasor::io {

namespace {

// Made only where something is wrong: who reads lines side by side does not count them.
std::string place_of(const std::string& path, std::string_view file, std::string_view line) {
  const auto before = std::count(file.data(), line.data(), '\n');
  return fmt::format("text: '{}' line {}", path, before + 1);
}

nlohmann::json parse_line(const std::string& path, std::string_view file, std::string_view line) {
  try {
    return nlohmann::json::parse(line);
  } catch (const nlohmann::json::parse_error& error) {
    const std::string place = place_of(path, file, line);
    const std::size_t column = std::max<std::size_t>(error.byte, 1);
    const std::size_t invalid = find_invalid_utf8(line);
    check(column <= line.size(), "{} ends inside a JSON value. Was the file copied to its end?", place);
    check(invalid == line.size(), "{} is not valid UTF-8 at byte {}", place, invalid);
    throw UserError(
        fmt::format("{} is not valid JSON at byte {}, expected an object with the key text", place, column - 1));
  } catch (const nlohmann::json::out_of_range&) {
    throw UserError(fmt::format("{} holds a number too large for JSON readers", place_of(path, file, line)));
  }
}

}  // namespace

std::string text_of_line(const std::string& path, std::string_view file, std::string_view line) {
  if (line.find_first_not_of(" \t\r") == line.npos) return {};
  nlohmann::json document = parse_line(path, file, line);
  const auto refuse = [&](const std::string& fact) {
    throw UserError(fmt::format("{} {}", place_of(path, file, line), fact));
  };
  if (!document.is_object()) refuse(fmt::format("is {}, expected an object with the key text", json_kind(document)));
  const auto text = document.find("text");
  if (text == document.end()) refuse("has no key text");
  if (!text->is_string()) refuse(fmt::format("has {} as text, expected a string", json_kind(*text)));
  return std::move(text->get_ref<std::string&>());
}

}  // namespace phasor::io
