#include "engine/base/error.h"
#include "models/cli/verbs.h"
#include "models/config/config_file.h"
#include "models/ipu_config/run_settings.h"

namespace phasor::cli {

io::TerminalListener terminal_listener(bool quiet) {
  return {quiet ? io::ProgressStyle::Quiet : io::ProgressStyle::Automatic, stderr};
}

void refuse_unknown_arguments(const CLI::App& command) {
  const std::vector<std::string> unknown = command.remaining();
  for (const std::string& argument : unknown) {
    if (argument.starts_with("--")) {
      const std::string key = argument.substr(2, argument.find('=') - 2);
      check(false, "unknown option '--{}'. Did you mean '--{}'?", key, run::nearest_key(key));
    }
  }
  check(unknown.empty(), "'{}' was not expected; {} takes one preset, file or folder",
        unknown.empty() ? "" : unknown[0], command.get_name());
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  command.allow_extras();  // so that refuse_unknown_arguments can say what was meant
  std::string names;
  for (const auto& [name, yaml] : run::presets()) names += (names.empty() ? "" : ", ") + name;
  command.add_option_function<std::string>(
      "config",
      [&options](const std::string& source) {
        check(!source.empty(), "config: '' names nothing, expected a preset, a file or a folder. Is a variable empty?");
        options.source = source;
      },
      "A preset (" + names + "), a YAML file, or the output folder of a run");
  command.add_flag("--json", options.json, "End with one line of JSON");
  command.add_flag("--quiet", options.quiet, "No progress display");
  for (const run::FieldHelp& field : run::field_help()) {
    std::string section = field.key.substr(0, field.key.find('.'));
    command
        .add_option_function<std::string>(
            "--" + field.key, [&options, key = field.key](const std::string& value) { options.overrides[key] = value; },
            field.help + (field.value.empty() ? "" : " [" + field.value + "]"))
        ->group(section)
        ->type_name("")
        ->take_last();
  }
  // Its everyday name, understood by run::set_field.
  command
      .add_option_function<std::string>(
          "--execution.replicas",
          [&options](const std::string& value) { options.overrides["execution.data_parallel"] = value; })
      ->group("");
}

void add_ipu_config(CLI::App& command, CommonOptions& options) {
  command.add_option("--ipu-config", options.ipu_config,
                     "An ipu_config.json of optimum-graphcore, or its folder: what it asks for, as keys");
}

void apply_ipu_config(CommonOptions& options, io::Listener& listener) {
  if (options.ipu_config.empty()) return;
  options.overrides = ipu::with_ipu_config(options.source, options.overrides, options.ipu_config, listener);
}

run::Resolution resolve(const run::RunConfig& config, run::Purpose purpose, io::Listener& listener) {
  run::Resolution resolution = run::resolve_run(config, purpose);
  if (!resolution.note.empty()) listener.note(resolution.note);
  return resolution;
}

}  // namespace phasor::cli
