// Run configurations as text: presets, YAML files and --section.key value on the command line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/tasks/run_config.h"

namespace phasor::cli {

// Sets one field from text. An unknown key, or a value of the wrong kind, is a UserError that tells what was expected.
// `source` says where the setting comes from: "'my.yml'", "the command line".
void set_field(tasks::RunConfig& config, const std::string& key, const std::string& value, const std::string& source);

// Where the user set each key: "'my.yml'", "the command line".
using GivenKeys = std::map<std::string, std::string>;

// Sets every field that the YAML text names, and returns their keys.
GivenKeys apply_yaml(tasks::RunConfig& config, const std::string& yaml, const std::string& source);

// The whole configuration as YAML, which apply_yaml reads back to the same bits.
std::string to_yaml(const tasks::RunConfig& config);

struct FieldHelp {
  std::string key, value, help;      // value: the default
  std::vector<std::string> choices;  // all values, where they are few; else none
};
std::vector<FieldHelp> field_help();

// The key that is most like the text.
std::string nearest_key(const std::string& text);

// The YAML of a preset, by name.
const std::map<std::string, std::string>& presets();

// A configuration from what a verb was given: a preset's name, a YAML file, a run's output folder (its config.yml and,
// unless checkpoint.load is set, its checkpoint), or "" (the one stored in the checkpoint that checkpoint.load names,
// if any); then the overrides; then, where model.from is new, what its folder says (model_folder.h).
tasks::RunConfig load_config(const std::string& source, const std::map<std::string, std::string>& overrides);

}  // namespace phasor::cli
