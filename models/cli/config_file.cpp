#include "models/cli/config_file.h"

#include <algorithm>
#include <numeric>
#include <yaml-cpp/yaml.h>

#include "engine/base/error.h"
#include "models/cli/field_text.h"

namespace phasor::cli {

namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

// What a message shows of a text that may hold anything: its beginning, on one line.
std::string readable(const std::string& text) {
  constexpr std::size_t kMostBytes = 200;
  std::size_t end = std::min(text.size(), kMostBytes);
  while (end < text.size() && end > 0 && (text[end] & 0xC0) == 0x80) --end;  // inside of a character
  std::string line = text.substr(0, end);
  if (end < text.size()) line += "…";
  for (char& byte : line) byte = static_cast<unsigned char>(byte) < ' ' ? ' ' : byte;
  return line;
}

// Whether keys of the configuration begin with it: "training.optimizer".
bool is_section(const std::string& name) {
  const tasks::RunConfig defaults;
  bool found = false;
  tasks::visit_fields(defaults, [&](const std::string& key, const auto&, const char*) {
    found = found || key.starts_with(name + ".");
  });
  return found;
}

[[noreturn]] void refuse_key(const std::string& key, const std::string& source) {
  throw UserError(fmt::format("config: unknown key '{}' in {}. Did you mean '{}'?", readable(key), source,
                              nearest_key(readable(key))));
}

void apply_node(tasks::RunConfig& config, const YAML::Node& node, const std::string& prefix, const std::string& source,
                GivenKeys& given) {
  for (const auto& item : node) {
    check(item.first.IsScalar(), "config: {} has a key that is no text in {}", source,
          prefix.empty() ? "its sections" : readable(prefix));
    const std::string key = (prefix.empty() ? "" : prefix + ".") + item.first.Scalar();
    if (item.second.IsMap()) {
      // Ends sections that hold themselves through aliases, too.
      if (!is_section(key)) refuse_key(key, source);
      apply_node(config, item.second, key, source, given);
    } else {
      check(item.second.IsScalar() || item.second.IsNull(), "config: {} in {} is a list, expected one value",
            readable(key), source);
      set_field(config, key, item.second.IsNull() ? "" : item.second.Scalar(), source);
      given[key] = source;
    }
  }
}

}  // namespace

void set_field(tasks::RunConfig& config, const std::string& key, const std::string& value, const std::string& source) {
  const std::string name = key == "execution.replicas" ? "execution.data_parallel" : key;  // its everyday name
  bool found = false;
  tasks::visit_fields(config, [&](const char* field_key, auto& field, const char*) {
    if (name != field_key) return;
    found = true;
    check(parse_field(value, field), "config: {} '{}' in {} is not {}", key, readable(value), source,
          expected_field(field));
  });
  if (!found) refuse_key(key, source);
}

GivenKeys apply_yaml(tasks::RunConfig& config, const std::string& yaml, const std::string& source) {
  YAML::Node root;
  try {
    root = YAML::Load(yaml);
  } catch (const YAML::Exception& error) {
    check(false, "config: {} line {}, column {} is not YAML: {}", source, error.mark.line + 1, error.mark.column + 1,
          readable(error.msg));
  }
  check(root.IsMap() || root.IsNull(), "config: {} is not a YAML mapping of sections", source);
  GivenKeys given;
  apply_node(config, root, "", source, given);
  return given;
}

std::string to_yaml(const tasks::RunConfig& config) {
  YAML::Node root(YAML::NodeType::Map);
  tasks::visit_fields(config, [&](const std::string& key, const auto& field, const char*) {
    YAML::Node node = root;
    std::size_t begin = 0;
    for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', begin)) {
      node.reset(node[key.substr(begin, dot - begin)]);
      begin = dot + 1;
    }
    node[key.substr(begin)] = field_text(field);
  });
  YAML::Emitter emitter;
  emitter << root;
  return std::string(emitter.c_str()) + "\n";
}

std::vector<FieldHelp> field_help() {
  std::vector<FieldHelp> fields;
  const tasks::RunConfig defaults;
  tasks::visit_fields(defaults, [&](const char* key, const auto& field, const char* help) {
    fields.push_back({key, field_text(field), help, field_choices(field)});
  });
  return fields;
}

std::string nearest_key(const std::string& text) {
  std::string nearest;
  std::size_t least = std::string::npos;
  for (const FieldHelp& field : field_help()) {
    const std::size_t distance = edit_distance(text, field.key);
    if (distance < least) {
      least = distance;
      nearest = field.key;
    }
  }
  return nearest;
}

}  // namespace phasor::cli
