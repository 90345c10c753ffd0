#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "models/cli/text/score_text.h"
#include "models/cli/verbs.h"
#include "models/config/load_config.h"
#include "models/squad/prediction_files.h"
#include "models/squad/training.h"

namespace phasor::cli {

namespace {

struct EvalOptions : CommonOptions {
  run::ScoredFiles files;
};

run::SquadEvaluation score_file(const run::RunConfig& config, const EvalOptions& options) {
  check(!config.data.dev.empty(), "data.dev is missing. Give it the SQuAD JSON file that '{}' answers",
        options.files.predictions);
  std::int64_t unanswered = 0;
  const run::SquadEvaluation scores = run::evaluate_predictions(config.data.dev, options.files, unanswered);
  if (unanswered > 0 && !options.quiet) {
    fmt::print(stderr, "'{}' has no prediction for {} questions, which score 0\n", options.files.predictions,
               unanswered);
  }
  return scores;
}

void run_eval(const EvalOptions& options) {
  const run::RunConfig config = run::load_config(options.source, options.overrides);
  check(!options.files.predictions.empty() || options.files.no_answer_probabilities.empty(),
        "--na-probabilities '{}' needs --predictions, the answers that they belong to",
        options.files.no_answer_probabilities);
  run::SquadEvaluation scores;
  if (options.files.predictions.empty()) {
    scores = run::evaluate_squad(resolve(config, run::Purpose::infer, options).run, options.progress());
  } else {
    scores = score_file(config, options);
  }
  print_scores(scores);
  if (!options.json) return;
  nlohmann::ordered_json json;
  add_scores(scores, json);
  fmt::print("{}\n", json.dump());
}

}  // namespace

Verb eval_verb(CLI::App& app) {
  const auto options = std::make_shared<EvalOptions>();
  CLI::App* command =
      app.add_subcommand("eval", "Exact match and F1 of a checkpoint, or of a file of answers, on data.dev");
  add_common_options(*command, *options);
  command->add_option("--predictions", options->files.predictions,
                      "Score this JSON file (question id to text) instead of a model");
  command->add_option("--na-probabilities", options->files.no_answer_probabilities,
                      "JSON file, question id to the probability of no answer, for SQuAD 2.0");
  command->add_option("--na-probability-threshold", options->files.probability_threshold,
                      "Answers with a higher probability of no answer are withheld [1]");
  return {command, [options] { run_eval(*options); }};
}

}  // namespace phasor::cli
