#include "models/cli/loaded_config.h"

#include <algorithm>
#include <map>
#include <yaml-cpp/yaml.h>

#include "engine/base/error.h"
#include "models/cli/field_text.h"
#include "models/tasks/checkpoint.h"

namespace phasor::cli {

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

// Calls visit(key, then, now) for the keys whose values differ.
template <class Visit>
void for_each_change(const std::string& yaml, const tasks::RunConfig& config, Visit visit) {
  const Texts then = texts_of(yaml);
  tasks::visit_fields(config, [&](const std::string& key, const auto& field, const char*) {
    const auto found = then.find(key);
    const std::string now = field_text(field);
    if (found != then.end() && found->second != now) visit(key, found->second, now);
  });
}

}  // namespace

void check_same_model(const tasks::RunConfig& config) {
  const std::string& path = config.checkpoint.load;
  if (path.empty()) return;
  const auto compare = [&](const std::string& key, const std::string& then, const std::string& now) {
    check(key != "model.heads" && key != "model.layer_norm_eps",
          "checkpoint: '{}' is of a model with {} {}, this one has {}", path, key, then, now);
  };
  for_each_change(tasks::read_position(path).config, config, compare);
}

std::string changes_of_resumed(const tasks::RunConfig& config) {
  const std::string& path = config.checkpoint.load;
  if (path.empty()) return "";
  const tasks::RunPosition position = tasks::read_position(path);
  if (position.step == 0) return "";
  std::string changes;
  for_each_change(position.config, config,
                  [&](const std::string& key, const std::string& then, const std::string& now) {
                    if (!key.starts_with("model.") && !key.starts_with("training.")) return;
                    if (key == "training.stop_after") return;
                    changes += fmt::format("{}{} {} instead of {}", changes.empty() ? "" : ", ", key, now, then);
                  });
  return changes.empty() ? "" : fmt::format("checkpoint: '{}' goes on with {}", path, changes);
}

}  // namespace phasor::cli
