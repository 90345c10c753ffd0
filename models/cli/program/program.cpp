#include "models/cli/program/program.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "engine/base/error.h"
#include "models/cli/mistake.h"
#include "models/cli/output.h"
#include "models/cli/verbs.h"
#include "models/plan/resolve_run.h"

namespace phasor::cli {

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

int run_verb(int argc, char** argv) {
  CLI::App app("Phasor trains networks that are larger than the memory they are given.", "phasor");
  app.require_subcommand(1);
  app.set_version_flag("--version", "phasor " PHASOR_VERSION);
  CLI::App& bench = bench_command(app);
  const Verb verbs[] = {train_verb(app),
                        eval_verb(app),
                        predict_verb(app),
                        plan_verb(app),
                        convert_verb(app),
                        inspect_verb(app),
                        report_verb(app),
                        verify_verb(app),
                        bench_step_verb(bench),
                        bench_kernels_verb(bench),
                        bench_products_verb(bench),
                        bench_save_verb(bench),
                        completion_verb(app)};
  refuse_unknown_verb(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // for help, or the version
    std::ostringstream text;
    const int code = app.exit(asked, text, text);
    fmt::print("{}", text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    return report(parse_message(error), kUserMistake);
  }
  for (const Verb& verb : verbs) {
    if (!verb.command->parsed()) continue;
    refuse_unknown_arguments(*verb.command);
    return verb.run();
  }
  return 0;
}

// Ends with the code that the program ends with.
int run_to_the_end(int argc, char** argv) {
  try {
    return run_verb(argc, argv);
  } catch (const run::MemoryTooSmall& error) {
    fmt::print(stderr, "phasor: {}\n", error.what());
    return kUserMistake;
  } catch (const UserError& error) {
    return report(error.what(), kUserMistake);
  } catch (const std::filesystem::filesystem_error& error) {
    return report(refusal_message(error), kUserMistake);
  } catch (const std::bad_alloc&) {  // what was asked for is more than the machine has
    return report(
        "memory: the machine, or what it allows this program, has not enough. `phasor plan` tells what a run "
        "takes",
        kUserMistake);
  } catch (const std::length_error&) {  // a list that no memory could hold
    return report("memory: no machine has as much as this asks for. `phasor plan` tells what a run takes",
                  kUserMistake);
  } catch (const std::system_error& error) {  // threads, above all
    return report(refusal_message(error), kUserMistake);
  } catch (const std::exception& error) {
    return report(fmt::format("internal error: {}", error.what()), kOurMistake);
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  prepare_standard_streams();
  const int code = run_to_the_end(argc, argv);
  const std::string failure = output_failure();
  if (failure.empty()) return code;
  report("standard output did not take everything: " + failure, code);
  return code == 0 ? kUserMistake : code;
}

}  // namespace phasor::cli
