// Settings of an IPUConfig as text: "replication_factor=2,layers_per_ipu=[1 2]".
#include <algorithm>
#include <cctype>

#include "models/ipu_config/mistakes.h"

namespace phasor::ipu {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

bool is_yes(const std::string& text) { return text == "true" || text == "1" || text == "y" || text == "yes"; }
bool is_no(const std::string& text) { return text == "false" || text == "0" || text == "n" || text == "no"; }

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Json parse_number(const std::string& name, const std::string& text) {
  const Json number = Json::parse(text, nullptr, false);
  phasor::check(number.is_number(), "ipu_config: {} '{}' is not a number", name, text);
  return number;
}

// By the type that the field has now.
Json parse_like(const std::string& name, const Json& now, const std::string& text) {
  phasor::check(!now.is_null(), "ipu_config: {} has no value, so that text does not say of which type it is to be",
                name);
  if (now.is_boolean()) {
    const std::string word = lower(text);
    phasor::check(is_yes(word) || is_no(word), "ipu_config: {} '{}' is neither true nor false", name, text);
    return is_yes(word);
  }
  if (now.is_array()) {
    phasor::check(text.size() >= 2 && text.front() == '[' && text.back() == ']',
                  "ipu_config: {} '{}' is no list, as in [1 2]", name, text);
    Json list = Json::array();
    std::string word;
    for (const char c : text.substr(1, text.size() - 2) + " ") {
      if (c != ' ') {
        word += c;
      } else if (!word.empty()) {
        list.push_back(parse_number(name, word));
        word.clear();
      }
    }
    return list;
  }
  if (now.is_number()) return parse_number(name, text);
  if (now.is_string()) return text;
  throw UserError(fmt::format("ipu_config: {} cannot be set from text", name));
}

}  // namespace

void IpuConfig::update_from_string(const std::string& text) {
  IpuConfig changed = *this;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    if (trimmed(part).empty()) continue;
    const std::size_t equals = part.find('=');
    phasor::check(equals != std::string::npos, "ipu_config: '{}' is no setting, as in name=value", trimmed(part));
    const std::string name = trimmed(part.substr(0, equals));
    compatible(find_field(name) != nullptr, "ipu_config: an IPUConfig has no field '{}'", name);
    changed.set(name, parse_like(name, changed.get(name), trimmed(part.substr(equals + 1))));
  }
  changed.check();
  *this = std::move(changed);
}

}  // namespace phasor::ipu
