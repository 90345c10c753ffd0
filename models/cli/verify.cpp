#include "models/verify/verify.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "models/cli/verbs.h"
#include "models/config/load_config.h"
#include "models/verify/show/json.h"
#include "models/verify/show/page.h"
#include "models/verify/show/text.h"

namespace phasor::cli {

namespace {

struct VerifyOptions : CommonOptions {
  std::vector<std::string> against;  // words; kBetween stands between those of one option and of the next
  std::string other;                 // a run's folder, to compare logs with
  std::int64_t steps = 10;
  std::string depth = "state";
  std::string report;  // a file
};

constexpr const char* kBetween = "";  // CLI11's

constexpr const char* kTransformers = "transformers";
constexpr const char* kUsualPython = "python3";

// What the run is held against: each --against is another execution, keys and values in turn; "transformers" and a
// Python that has it; or one path.
struct Others {
  std::vector<run::Settings> executions;
  std::vector<std::string> transformers;
  std::vector<std::string> records;
};

Others others_of(const std::vector<std::string>& words) {
  Others others;
  for (std::size_t i = 0; i < words.size();) {
    if (words[i] == kBetween) {
      ++i;
      continue;
    }
    if (words[i] == kTransformers) {
      const bool has_python = i + 1 < words.size() && words[i + 1] != kBetween;
      others.transformers.push_back(has_python ? words[i + 1] : kUsualPython);
      i += has_python ? 2 : 1;
      check(i == words.size() || words[i] == kBetween,
            "--against transformers: '{}' is one word too many, expected a Python alone. Give keys on their own",
            words[i]);
      continue;
    }
    if ((i + 1 == words.size() || words[i + 1] == kBetween) && std::filesystem::exists(words[i])) {
      others.records.push_back(words[i++]);
      continue;
    }
    run::Settings& settings = others.executions.emplace_back();
    for (; i < words.size() && words[i] != kBetween; i += 2) {
      const bool has_value = i + 1 < words.size() && words[i + 1] != kBetween;
      check(has_value, "--against: '{}' has no value, expected keys and values in turn, as in --against {}", words[i],
            "execution.data_parallel 2 execution.reproducible true");
      settings.emplace_back(words[i], words[i + 1]);
    }
  }
  return others;
}

int compare_runs(const VerifyOptions& options) {
  check(options.overrides.empty() && options.against.empty(),
        "verify: two runs, '{}' and '{}', are compared by what they have left: options do not matter", options.source,
        options.other);
  const run::LogComparison comparison = run::compare_logs(options.source, options.other);
  fmt::print("{}", run::to_text(comparison));
  if (options.json) fmt::print("{}\n", run::to_json(comparison).dump());
  return comparison.equal() ? 0 : kDifferent;
}

int run_verify(const VerifyOptions& options) {
  if (!options.other.empty()) return compare_runs(options);
  io::TerminalListener listener = options.listener();
  check(options.depth == "state" || options.depth == "activations",
        "--depth '{}' is unknown, expected state or activations", options.depth);
  const run::RunConfig config = run::load_config(options.source, options.overrides);
  run::validate(config);
  const Others others = others_of(options.against);
  const run::VerifyResult result = run::verify({.config = config,
                                                .against = others.executions,
                                                .transformers = others.transformers,
                                                .records = others.records,
                                                .steps = options.steps,
                                                .activations = options.depth == "activations",
                                                .parts = nullptr},
                                               listener);
  fmt::print("{}", run::to_text(result));
  if (!options.report.empty()) run::write_html(result, options.report);
  if (options.json) fmt::print("{}\n", run::to_json(result).dump());
  return result.equal() ? 0 : kDifferent;
}

}  // namespace

Verb verify_verb(CLI::App& app) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand(
      "verify", "Execute a run in several ways, step by step: exit code 0 if all bits are equal, 1 if not");
  add_common_options(*command, *options);
  command->add_option("other", options->other, "The output folder of another run: their logs are compared");
  command->add_option("--steps", options->steps, "Steps to compare [10]");
  command
      ->add_option(
          "--against", options->against,
          "Keys and values, in turn, of another execution; or transformers, and a Python that has it and torch "
          "[python3]; or the checkpoint or folder of a run that is over; several options are several executions "
          "[execution.mode, the other one]")
      ->expected(1, 1000)
      ->inject_separator();
  command->add_option(
      "--depth", options->depth,
      "What is compared: state, losses and weights and moments; activations, and gradients, too [state]");
  command->add_option("--report", options->report, "An HTML file to write, with a picture of how differences grow");
  return {command, [options] { return run_verify(*options); }};
}

}  // namespace phasor::cli
