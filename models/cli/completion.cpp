#include "models/cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

#include "engine/base/error.h"
#include "models/cli/verbs.h"
#include "models/config/config_file.h"

namespace phasor::cli {

namespace {

constexpr const char *kShellArgument = "shell", *kBash = "bash";

// What stands for `verbs` in a command line before its options: "bench step". Bash compares it as a pattern.
void append_cases(std::string& script, const CLI::App& command, const std::string& verbs) {
  std::vector<std::string> names;
  for (const CLI::App* verb : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
    append_cases(script, *verb, verbs.empty() ? verb->get_name() : verbs + " " + verb->get_name());
  }
  bool takes_files = names.empty();
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    if (!option->get_positional()) continue;
    if (option->get_name(true) == "config") {
      for (const auto& [name, yaml] : run::presets()) names.push_back(name);
    } else if (option->get_name(true) == kShellArgument) {
      names.emplace_back(kBash);
      takes_files = false;
    }
  }
  script += fmt::format("    '{}')\n      words='{}'\n      options='{}'\n      files={}\n      ;;\n", verbs,
                        fmt::join(names, " "), fmt::join(options, " "), takes_files ? "yes" : "");
}

// The values of keys that have few.
void append_values(std::string& script) {
  for (const run::FieldHelp& field : run::field_help()) {
    if (!field.choices.empty()) {
      script += fmt::format("    --{}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", field.key,
                            fmt::join(field.choices, " "));
    }
  }
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  const std::string name = app.get_name();
  std::string script = fmt::format(
      "# Completion of {0} for bash:  source <({0} completion bash)\n"
      "_{0}() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verbs= i\n"
      "  local words= options= files=\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case \"$verbs ${{COMP_WORDS[i]}}\" in\n",
      name);
  const auto any = [](const CLI::App*) { return true; };
  std::vector<std::string> paths;
  for (const CLI::App* verb : app.get_subcommands(any)) {
    paths.push_back(fmt::format("' {}'", verb->get_name()));
    for (const CLI::App* inner : verb->get_subcommands(any)) {
      paths.push_back(fmt::format("'{} {}'", verb->get_name(), inner->get_name()));
    }
  }
  script += fmt::format(
      "      {}) verbs=\"${{verbs:+$verbs }}${{COMP_WORDS[i]}}\" ;;\n    esac\n  done\n"
      "  case \"$before\" in\n",
      fmt::join(paths, " | "));
  append_values(script);
  script += "  esac\n  case \"$verbs\" in\n";
  append_cases(script, app, "");
  script += fmt::format(
      "  esac\n"
      "  case \"$before\" in --*) [[ $word == -* ]] || words= ;; esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "    [[ -z $files ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _{0} {0}\n",
      name);
  return script;
}

Verb completion_verb(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a script that makes a shell complete verbs and options");
  command->add_option(kShellArgument, *shell, kBash)->required();
  return {command, [&app, shell] {
            check(*shell == kBash, "completion: shell '{}' is unknown; expected {}", *shell, kBash);
            fmt::print("{}", bash_completion(app));
            return 0;
          }};
}

}  // namespace phasor::cli
