#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string>

#include "engine/base/error.h"
#include "models/cli/verbs.h"
#include "models/tasks/device_choice.h"

namespace {

constexpr int kUserMistake = 2;
constexpr int kOurMistake = 70;

// The one line that a failure gets.
int report(const std::string& message, int code) {
  std::string line = message;
  std::ranges::replace(line, '\n', ' ');
  fmt::print(stderr, "phasor: {}\n", line);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app("Phasor trains networks that are larger than the memory they are given.", "phasor");
  app.require_subcommand(1);
  CLI::App& bench = phasor::cli::bench_command(app);
  const phasor::cli::Verb verbs[] = {
      phasor::cli::train_verb(app),        phasor::cli::eval_verb(app),         phasor::cli::predict_verb(app),
      phasor::cli::plan_verb(app),         phasor::cli::convert_verb(app),      phasor::cli::inspect_verb(app),
      phasor::cli::report_verb(app),       phasor::cli::bench_step_verb(bench), phasor::cli::bench_kernels_verb(bench),
      phasor::cli::bench_save_verb(bench), phasor::cli::completion_verb(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return report(error.what(), kUserMistake);
  }
  for (const phasor::cli::Verb& verb : verbs) {
    if (!verb.command->parsed()) continue;
    phasor::cli::refuse_unknown_arguments(*verb.command);
    verb.run();
    if (verb.exit_code) return *verb.exit_code;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const phasor::tasks::DeviceTooSmall& error) {
    fmt::print(stderr, "phasor: {}\n", error.what());
    return kUserMistake;
  } catch (const phasor::UserError& error) {
    return report(error.what(), kUserMistake);
  } catch (const std::filesystem::filesystem_error& error) {
    return report(error.what(), kUserMistake);  // what the file system refuses
  } catch (const phasor::InternalError& error) {
    return report(fmt::format("internal error: {}", error.what()), kOurMistake);
  } catch (const std::exception& error) {
    return report(fmt::format("internal error: {}", error.what()), kOurMistake);
  }
}
