#include "models/transformers/config_json.h"

#include <fmt/format.h>

namespace phasor::transformers {

SettingsFile open_config(const std::string& folder, const std::string& model) {
  return {folder,
          kConfigFile,
          {.only = fmt::format("Phasor's {} knows no other", model), .missing = fmt::format("Is this a {}?", model)}};
}

std::string model_type(const std::string& folder) { return SettingsFile(folder, kConfigFile, {}).text("model_type"); }

nlohmann::json short_number(float value) { return nlohmann::json::parse(fmt::format("{}", value)); }

std::string_view torch_name(io::StoredType type) {
  switch (type) {
    case io::StoredType::f32:
      return "float32";
    case io::StoredType::f16:
      return "float16";
    case io::StoredType::bf16:
      return "bfloat16";
  }
  return "?";
}

}  // namespace phasor::transformers
