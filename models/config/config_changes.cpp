#include "models/config/config_changes.h"

#include <fmt/ranges.h>
#include <map>
#include <yaml-cpp/yaml.h>

#include "engine/base/error.h"
#include "models/checkpoint/checkpoint.h"
#include "models/config/field_text.h"
#include "models/config/resumed_sums.h"

namespace phasor::run {

namespace {

using Texts = std::map<std::string, std::string>;  // by key

void flatten(const YAML::Node& node, const std::string& prefix, Texts& texts) {
  for (const auto& item : node) {
    const std::string key = (prefix.empty() ? "" : prefix + ".") + item.first.as<std::string>();
    if (item.second.IsMap()) flatten(item.second, key, texts);
    if (item.second.IsScalar()) texts[key] = item.second.Scalar();
  }
}

// Empty where the file tells nothing that can be read: other programs write checkpoints, too.
Texts texts_of(const std::string& yaml) {
  Texts texts;
  try {
    const YAML::Node root = YAML::Load(yaml);
    if (root.IsMap()) flatten(root, "", texts);
  } catch (const YAML::Exception&) {
    texts.clear();
  }
  return texts;
}

}  // namespace

std::vector<ConfigChange> changes_since(const std::string& yaml, const RunConfig& config) {
  const Texts then = texts_of(yaml);
  std::vector<ConfigChange> changes;
  visit_fields(config, [&](const std::string& key, const auto& field, const fields::Facts& facts) {
    const auto found = then.find(key);
    const std::string now = field_text(field);
    if (found == then.end() || found->second == now) return;
    changes.push_back({.key = key, .then = found->second, .now = now, .another_model = facts.hidden_from_shapes});
  });
  return changes;
}

std::string to_string(const std::vector<ConfigChange>& changes) {
  const auto shown = [](const std::string& value) { return value.empty() ? "nothing" : value; };
  std::vector<std::string> texts;
  for (const auto& [key, then, now, another_model] : changes) {
    texts.push_back(fmt::format("{} {} instead of {}", key, shown(now), shown(then)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

void check_same_model(const RunConfig& config) {
  const std::string& path = config.checkpoint.load;
  if (path.empty()) return;
  for (const auto& [key, then, now, another_model] : changes_since(read_position(path).config, config)) {
    check(!another_model, "checkpoint: '{}' is of a model with {} {}, this one has {}", path, key, then, now);
  }
}

std::vector<std::string> changes_of_resumed(const RunConfig& config) {
  const std::string& path = config.checkpoint.load;
  if (path.empty()) return {};
  const RunPosition position = read_position(path);
  if (position.step == 0) return {};
  std::vector<ConfigChange> changes = changes_since(position.config, config);
  std::erase_if(changes, [](const ConfigChange& change) {
    const bool computes =
        change.key.starts_with("model.") || change.key.starts_with("training.") || change.key == "execution.products";
    return !computes || change.key == "training.stop_after" || change.key == "model.from";
  });
  std::vector<std::string> lines;
  if (!changes.empty()) lines.push_back(fmt::format("checkpoint: '{}' goes on with {}", path, to_string(changes)));
  if (std::string sums = change_of_sums(path, position.config, config); !sums.empty()) lines.push_back(std::move(sums));
  return lines;
}

}  // namespace phasor::run
