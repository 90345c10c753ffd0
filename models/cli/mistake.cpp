#include "models/cli/mistake.h"

#include "engine/base/error.h"
#include "io/text/nearest.h"

namespace phasor::cli {

void refuse_unknown_verb(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* command = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string given = argv[i];
    std::vector<std::string> verbs;
    const CLI::App* found = nullptr;
    for (const CLI::App* verb : command->get_subcommands([](const CLI::App*) { return true; })) {
      verbs.push_back(verb->get_name());
      if (verb->get_name() == given) found = verb;
    }
    if (verbs.empty() || given.starts_with("-")) return;
    check(found != nullptr, "'{}' is not a verb of {}. Did you mean '{}'?", given, command->get_name(),
          io::nearest(given, verbs));
    command = found;
  }
  std::string verbs;
  for (const CLI::App* verb : command->get_subcommands([](const CLI::App*) { return true; })) {
    verbs += (verbs.empty() ? "" : ", ") + verb->get_name();
  }
  check(verbs.empty(), "{0}a verb is missing: {1}. --help tells what each does",
        command == &app ? "" : command->get_name() + ": ", verbs);
}

std::string parse_message(const CLI::ParseError& error) {
  const std::string text = error.what();
  // "--training.steps: 1 required TEXT missing"
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && text.find(" missing") != text.npos) {
    return fmt::format("option '{}' has no value behind it", text.substr(0, text.find(':')));
  }
  return text;
}

std::string refusal_message(const std::filesystem::filesystem_error& error) {
  return fmt::format("'{}' cannot be used: {}", error.path1().string(), error.code().message());
}

std::string refusal_message(const std::system_error& error) {
  return fmt::format("system: {}. Does it allow as many threads as execution asks for?", error.code().message());
}

}  // namespace phasor::cli
