#include "models/config/config_file.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "engine/base/error.h"
#include "io/text/nearest.h"
#include "io/text/utf8.h"
#include "models/config/field_text.h"
#include "models/config/yaml_documents.h"
#include "models/fields/alternatives.h"

namespace phasor::run {

namespace {

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

// Whether keys of any configuration begin with it: "training.optimizer".
bool is_section(const std::string& name) {
  return std::ranges::any_of(field_help(), [&](const FieldHelp& field) { return field.key.starts_with(name + "."); });
}

// A key as a message shows it: what nobody sees, as a space without width, by its number.
std::string visible(const std::string& key) {
  const std::string text = io::replace_invalid_utf8(readable(key));
  std::string shown;
  for (std::size_t byte = 0; byte < text.size();) {
    const std::size_t begin = byte;
    const char32_t code = io::next_code_point(text, byte);
    const bool hidden = code == 0xA0 || code == 0xAD || code == 0xFEFF || (code >= 0x2000 && code <= 0x200F) ||
                        (code >= 0x2028 && code <= 0x202F) || (code >= 0x205F && code <= 0x206F) || code == 0x3000;
    shown += hidden ? fmt::format("<U+{:04X}>", static_cast<std::uint32_t>(code)) : text.substr(begin, byte - begin);
  }
  return shown;
}

[[noreturn]] void refuse_key(const RunConfig& config, const std::string& key, const std::string& source) {
  check(!is_section(key), "config: {} in {} is a section, expected keys below it, such as {}", key, source,
        nearest_key(key + "."));
  fields::refuse_key_of_others(config, key, source);
  throw UserError(fmt::format("config: unknown key '{}' in {}. Did you mean '{}'?", visible(key), source,
                              nearest_key(visible(key))));
}

std::string everyday_name_resolved(const std::string& key) {
  return key == "execution.replicas" ? "execution.data_parallel" : key;
}

// The settings of one document, from its sections.
class SectionReader {
 public:
  SectionReader(const RunConfig& config, const std::string& source) : config_(config), source_(source) {}

  // `prefix`: the section that the node is, "" for the document.
  void read(const YAML::Node& node, const std::string& prefix) {
    for (const auto& item : node) {
      check(item.first.IsScalar(), "config: {} has a key that is no text in {}", source_,
            prefix.empty() ? "its sections" : readable(prefix));
      const std::string key = (prefix.empty() ? "" : prefix + ".") + item.first.Scalar();
      refuse_second(key, item.first.Mark().line + 1);
      if (item.second.IsMap()) {
        // Ends sections that hold themselves through aliases, too.
        check(is_section(key) || !is_key(key), "config: {} in {} is a section, expected one value", readable(key),
              source_);
        if (!is_section(key)) refuse_key(config_, key, source_);
        read(item.second, key);
      } else if (!(item.second.IsNull() && is_section(key))) {  // a section may be empty
        add(key, item.second);
      }
    }
  }

  Settings take() { return std::move(settings_); }

 private:
  static bool is_key(const std::string& name) {
    return std::ranges::any_of(field_help(), [&](const FieldHelp& field) { return field.key == name; });
  }

  // Of two values one would have no effect, and nobody could tell which.
  void refuse_second(const std::string& key, int line) {
    const auto [first, fresh] = lines_.emplace(everyday_name_resolved(key), line);
    check(fresh, "config: {} is given twice in {}, in line {} and in line {}. Leave one of them out", visible(key),
          source_, first->second, line);
  }

  void add(const std::string& key, const YAML::Node& value) {
    if (is_section(key)) refuse_key(config_, key, source_);
    check(value.IsScalar() || value.IsNull(), "config: {} in {} is a list, expected one value", readable(key), source_);
    settings_.emplace_back(key, value.IsNull() ? "" : value.Scalar());
  }

  const RunConfig& config_;
  const std::string& source_;
  std::map<std::string, int> lines_;  // by key or section
  Settings settings_;
};

// The keys that say which other keys there are.
std::vector<std::string> choosing_keys() {
  std::vector<std::string> keys;
  const RunConfig defaults;
  visit_fields(defaults, [&](const char* key, const auto& field, const fields::Facts&) {
    if (fields::is_choice<std::decay_t<decltype(field)>>) keys.emplace_back(key);
  });
  return keys;
}

// The only document of the text.
YAML::Node load_document(const std::string& yaml, const std::string& source) {
  const int another = line_of_second_document(yaml);
  check(another == 0, "config: {} has another document from line {} on, expected one", source, another);
  YAML::Node root;
  try {
    root = YAML::Load(yaml);
  } catch (const YAML::Exception& error) {
    check(false, "config: {} line {}, column {} is not YAML: {}", source, error.mark.line + 1, error.mark.column + 1,
          readable(error.msg));
  }
  return root;
}

}  // namespace

void set_field(RunConfig& config, const std::string& key, const std::string& value, const std::string& source) {
  const std::string name = everyday_name_resolved(key);
  bool found = false;
  visit_fields(config, [&](const char* field_key, auto& field, const fields::Facts&) {
    if (found || name != field_key) return;
    found = true;
    check(parse_field(value, field), "config: {} '{}' in {} is not {}", key, readable(value), source,
          expected_field(field, value));
  });
  if (!found) refuse_key(config, key, source);
}

void set_fields(RunConfig& config, Settings settings, const std::string& source) {
  const std::vector<std::string> choices = choosing_keys();
  std::stable_partition(settings.begin(), settings.end(), [&](const auto& setting) {
    return std::ranges::find(choices, setting.first) != choices.end();
  });
  for (const auto& [key, value] : settings) set_field(config, key, value, source);
}

GivenKeys apply_yaml(RunConfig& config, const std::string& yaml, const std::string& source) {
  const YAML::Node root = load_document(yaml, source);
  check(root.IsMap() || root.IsNull(), "config: {} is not a YAML mapping of sections", source);
  SectionReader reader(config, source);
  reader.read(root, "");
  const Settings settings = reader.take();
  set_fields(config, settings, source);
  GivenKeys given;
  for (const auto& [key, value] : settings) given[key] = source;
  return given;
}

std::string to_yaml(const RunConfig& config) {
  YAML::Node root(YAML::NodeType::Map);
  visit_fields(config, [&](const std::string& key, const auto& field, const fields::Facts&) {
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
  std::vector<FieldHelp> all;
  const auto add_keys_of = [&](const RunConfig& config) {
    visit_fields(config, [&](const char* key, const auto& field, const fields::Facts& facts) {
      if (std::ranges::find(all, key, &FieldHelp::key) != all.end()) return;
      all.push_back({key, field_text(field), facts.help, field_choices(field)});
      if (fields::is_choice<std::decay_t<decltype(field)>>) {
        all.back().help += fmt::format(": {}", fmt::join(all.back().choices, ", "));
      }
    });
  };
  RunConfig config;
  add_keys_of(config);
  fields::for_each_alternative(config.model, [&](const auto& model) {
    config.model = model;
    add_keys_of(config);
  });
  fields::for_each_alternative(config.data.task, [&](const auto& task) {
    config.data.task = task;
    add_keys_of(config);
  });
  return all;
}

std::string nearest_key(const std::string& text) {
  std::vector<std::string> keys;
  for (const FieldHelp& field : field_help()) keys.push_back(field.key);
  return io::nearest(text, keys);
}

}  // namespace phasor::run
