#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/cli/config_file.h"
#include "models/cli/loaded_config.h"
#include "models/cli/verbs.h"
#include "models/tasks/squad_training.h"

namespace phasor::cli {

namespace {

void run_eval(const CommonOptions& options) {
  tasks::RunConfig config = load_config(options.source, options.overrides);
  tasks::resolve_vocab_size(config);
  check_same_model(config);
  const tasks::SquadScores scores = tasks::evaluate_squad(config, options.progress());
  fmt::print("exact match {:.2f}, F1 {:.2f} on {} questions\n", scores.exact_match, scores.f1, scores.questions);
  if (options.json) {
    fmt::print(
        "{}\n",
        nlohmann::ordered_json{{"exact_match", scores.exact_match}, {"f1", scores.f1}, {"questions", scores.questions}}
            .dump());
  }
}

}  // namespace

Verb eval_verb(CLI::App& app) {
  const auto options = std::make_shared<CommonOptions>();
  CLI::App* command = app.add_subcommand("eval", "Exact match and F1 of a checkpoint on data.dev");
  add_common_options(*command, *options);
  return {command, [options] { run_eval(*options); }};
}

}  // namespace phasor::cli
