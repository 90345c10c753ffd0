#include "models/config/load_config.h"

#include <filesystem>
#include <fmt/ranges.h>

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "io/text/nearest.h"
#include "models/checkpoint/checkpoint.h"
#include "models/checkpoint/files.h"
#include "models/config/config_file.h"
#include "models/config/model_folder.h"
#include "models/config/recorded_config.h"
#include "models/config/run_folder.h"

namespace phasor::run {

namespace {

// Configurations take a few kilobytes. YAML would be sought in anything else for a long while, and not be found.
constexpr std::uintmax_t kMostBytes = 1 << 20;

std::string read_config(const std::string& path) {
  check(!is_checkpoint(path), "config: '{}' is a checkpoint, expected a configuration. Give it as --checkpoint.load",
        path);
  std::error_code error;
  const auto bytes = std::filesystem::is_regular_file(path, error) ? std::filesystem::file_size(path, error) : 0;
  check(error || bytes <= kMostBytes, "config: '{}' has {} bytes, expected a configuration of {} at most", path, bytes,
        kMostBytes);
  return io::read_file("config", path);
}

}  // namespace

RunConfig load_config(const std::string& source, const std::map<std::string, std::string>& overrides,
                      const std::string& given_in) {
  RunConfig config;
  GivenKeys given;              // by the user, not by a preset
  bool folder_applied = false;  // whether what model.from says is in the configuration
  const auto load = overrides.find("checkpoint.load");
  if (source.empty()) {
    if (load != overrides.end()) {
      apply_yaml(config, read_position(load->second).config, fmt::format("'{}'", load->second));
      config.checkpoint.save.clear();  // where the run saved that it comes from
      folder_applied = true;
    } else if (const auto from = overrides.find("model.from"); from != overrides.end() && !from->second.empty()) {
      choose_by_folder(config, from->second);
    }
  } else if (const auto preset = presets().find(source); preset != presets().end()) {
    apply_yaml(config, preset->second, fmt::format("preset '{}'", source));
  } else if (std::filesystem::is_directory(source)) {
    check(std::filesystem::exists(source + "/config.yml") || !std::filesystem::exists(source + "/config.json"),
          "config: '{}' is a Transformers folder, expected a run's. Give it as --model.from", source);
    config = read_record(source);
    config.checkpoint.load = checkpoint_path(config.checkpoint, source);
    folder_applied = true;
  } else {
    std::vector<std::string> names;
    for (const auto& [name, yaml] : presets()) names.push_back(name);
    // What has a dot or a slash was to be a file.
    const std::string meant = source.find_first_of("./") == source.npos
                                  ? fmt::format(". Did you mean '{}'?", io::nearest(source, names))
                                  : "";
    check(std::filesystem::exists(source), "config: '{}' is neither a preset ({}) nor a file or folder{}", source,
          fmt::join(names, ", "), meant);
    given = apply_yaml(config, read_config(source), fmt::format("'{}'", source));
  }
  set_fields(config, {overrides.begin(), overrides.end()}, given_in);
  for (const auto& [key, value] : overrides) given[key] = given_in;
  const bool asked = overrides.contains("model.from") && !config.model_from.empty();
  check(!asked || config.checkpoint.load.empty(),
        "config: model.from '{}' and the checkpoint '{}' both have weights. Leave one of them out", config.model_from,
        config.checkpoint.load);
  if (!config.model_from.empty() && !folder_applied) apply_model_folder(config, given);
  task_options::resolve_model(config.data.task, config.model);
  return config;
}

}  // namespace phasor::run
