#include "models/cli/run_start.h"

#include <filesystem>

#include "engine/base/error.h"
#include "models/cli/text/shell_word.h"
#include "models/config/config_changes.h"
#include "models/config/config_file.h"
#include "models/config/recorded_config.h"

namespace phasor::cli {

namespace {

namespace fs = std::filesystem;

void check_same_run(const std::string& output, const std::string& recorded, const run::RunConfig& config) {
  const std::vector<run::ConfigChange> changes = run::changes_since(recorded, run::to_record(config, output));
  check(changes.empty(),
        "'{0}' has another run: this one has {1}. Choose another --output, replace it with --force, or go on with that "
        "one: phasor train {2} --output {2}",
        output, to_string(changes), shell_word(output));
}

// Of a folder without config.yml.
void check_nothing_is_lost(const run::RunFolder& folder, const std::string& checkpoint) {
  for (const std::string& file : {folder.path() + "/metrics.jsonl", checkpoint}) {
    check(!fs::exists(file),
          "'{}' is of another run, which this one would replace. Choose another place, or replace it with --force",
          file);
  }
}

}  // namespace

RunStart start_run(run::RunConfig config, const CommonOptions& options, bool force, run::RunFolder& folder) {
  const std::string& output = folder.path();
  const std::optional<std::string> recorded = folder.config();
  const bool goes_on = recorded && run::is_same_place(options.source, output);
  // A run saves where it is, not where the one does that it comes from.
  if (!goes_on && fs::is_directory(options.source) && !options.overrides.contains("checkpoint.save")) {
    config.checkpoint.save.clear();
  }
  const std::string own = run::checkpoint_path(config.checkpoint, output);
  check(own.ends_with(".h5"), "checkpoint.save '{}': expected a name that ends in .h5", own);
  const bool loads_own = run::is_same_place(config.checkpoint.load, own);

  run::RunConfig first = config;
  if (recorded && (goes_on || loads_own)) first.checkpoint.load = run::read_record(output).checkpoint.load;
  if (force) {
    check(goes_on || !loads_own, "--force removes the run in '{}', and checkpoint.load '{}' with it", output, own);
    folder.start_over();
    if (!options.overrides.contains("checkpoint.load")) config.checkpoint.load = first.checkpoint.load;
  } else if (goes_on) {
    // One that was killed before its first save starts where it started.
    if (config.checkpoint.load == own && !loads_own) config.checkpoint.load = first.checkpoint.load;
  } else if (recorded && !loads_own) {
    check_same_run(output, *recorded, config);
    if (fs::exists(own)) config.checkpoint.load = own;
  } else if (!loads_own) {
    check_nothing_is_lost(folder, own);
  }
  return {.config = config, .record = run::to_yaml(run::to_record(first, output))};
}

}  // namespace phasor::cli
