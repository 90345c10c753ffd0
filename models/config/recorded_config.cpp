#include "models/config/recorded_config.h"

#include <filesystem>
#include <fmt/format.h>

#include "io/files/text_file.h"
#include "models/config/config_file.h"
#include "models/config/run_folder.h"

namespace phasor::run {

namespace {

namespace fs = std::filesystem;

std::string absolute(const std::string& path) {
  return path.empty() ? "" : fs::absolute(path).lexically_normal().string();
}

}  // namespace

RunConfig to_record(const RunConfig& config, const std::string& output) {
  RunConfig recorded = config;
  visit_fields(recorded, [](const char*, auto& field, const fields::Facts& facts) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>) {
      if (facts.is_path) field = absolute(field);
    }
  });
  if (config.data.cache != "auto" && config.data.cache != "none") recorded.data.cache = absolute(config.data.cache);
  const fs::path save = recorded.checkpoint.save;
  if (is_same_place(save.parent_path(), output)) recorded.checkpoint.save = save.filename();
  if (recorded.checkpoint.save == "checkpoint.h5") recorded.checkpoint.save.clear();
  recorded.training.stop_after = 0;
  return recorded;
}

RunConfig read_record(const std::string& folder) {
  RunConfig config;
  const std::string path = folder + "/config.yml";
  apply_yaml(config, io::read_file("config", path), fmt::format("'{}'", path));
  const fs::path save = config.checkpoint.save;
  if (!save.empty() && save.is_relative()) config.checkpoint.save = fs::path(folder) / save.filename();
  return config;
}

}  // namespace phasor::run
