// Run configurations as text: presets, YAML files and --section.key value on the command line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/config/run_config.h"

namespace phasor::run {

// Sets one field from text. An unknown key, or a value of the wrong kind, is a UserError that tells what was expected.
// `source` says where the setting comes from: "'my.yml'", "the command line".
void set_field(RunConfig& config, const std::string& key, const std::string& value, const std::string& source);

// Sets fields from keys and values, in their order, but first those that choose which keys there are
// (model.architecture, data.task); choosing another one gives up what was set of the one before.
using Settings = std::vector<std::pair<std::string, std::string>>;
void set_fields(RunConfig& config, Settings settings, const std::string& source);

// Where the user set each key: "'my.yml'", "the command line".
using GivenKeys = std::map<std::string, std::string>;

// Sets every field that the YAML text names, and returns their keys. What would leave it open which value holds is a
// UserError: a key that is given twice, or another document behind the first.
GivenKeys apply_yaml(RunConfig& config, const std::string& yaml, const std::string& source);

// The whole configuration as YAML, which apply_yaml reads back to the same bits.
std::string to_yaml(const RunConfig& config);

struct FieldHelp {
  std::string key, value, help;      // value: the default
  std::vector<std::string> choices;  // all values, where they are few; else none
};
// Of the keys of every architecture and task.
std::vector<FieldHelp> field_help();

// The key that is most like the text.
std::string nearest_key(const std::string& text);

// The YAML of a preset, by name.
const std::map<std::string, std::string>& presets();

}  // namespace phasor::run
