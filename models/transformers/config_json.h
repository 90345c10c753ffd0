// config.json of a Transformers folder: what all kinds of model have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/safetensors/safetensors.h"
#include "models/architecture/model_config.h"
#include "models/transformers/settings_file.h"

namespace phasor::transformers {

inline constexpr const char* kConfigFile = "config.json";

// A config.json, with what Phasor says of settings that its model of that name does not have.
SettingsFile open_config(const std::string& folder, const std::string& model);

// What the folder says that it is, "bert"; empty where it does not.
std::string model_type(const std::string& folder);

struct FolderConfig {
  // All that the file says; other fields are as they were. The dropout is the first of the following.
  architecture::ModelConfig model;
  std::vector<std::pair<std::string, float>> dropouts;  // by key: for Phasor's model they must be one
};

// A float that was read from a short decimal text is written as that text.
nlohmann::json short_number(float value);
std::string_view torch_name(io::StoredType type);

}  // namespace phasor::transformers
