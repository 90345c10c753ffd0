#include <fmt/format.h>
#include <memory>

#include "engine/base/error.h"
#include "models/cli/verbs.h"
#include "models/config/load_config.h"
#include "models/squad/prediction_files.h"
#include "models/squad/score_text.h"
#include "models/tasks/task_table.h"

namespace phasor::cli {

namespace {

struct EvalOptions : CommonOptions {
  squad::ScoredFiles files;
};

run::Scores score_file(const run::RunConfig& config, const EvalOptions& options, io::Listener& listener) {
  check(std::holds_alternative<task_options::SquadOptions>(config.data.task), "--predictions are answers to SQuAD");
  check(!config.data.dev.empty(), "data.dev is missing. Give it the SQuAD JSON file that '{}' answers",
        options.files.predictions);
  std::int64_t unanswered = 0;
  const squad::Evaluation scores = squad::evaluate_predictions(config.data.dev, options.files, unanswered);
  if (unanswered > 0) {
    listener.note(
        fmt::format("'{}' has no prediction for {} questions, which score 0", options.files.predictions, unanswered));
  }
  return squad::to_scores(scores);
}

run::Scores score_model(const run::RunConfig& config, io::Listener& listener) {
  const run::ResolvedRun run = resolve(config, run::Purpose::infer, listener).run;
  return tasks::make_task(run)->evaluate(run, listener);
}

int run_eval(const EvalOptions& options) {
  io::TerminalListener listener = options.listener();
  const run::RunConfig config = run::load_config(options.source, options.overrides);
  check(!options.files.predictions.empty() || options.files.no_answer_probabilities.empty(),
        "--na-probabilities '{}' needs --predictions, the answers that they belong to",
        options.files.no_answer_probabilities);
  const run::Scores scores =
      options.files.predictions.empty() ? score_model(config, listener) : score_file(config, options, listener);
  fmt::print("{}", scores.text);
  if (options.json) fmt::print("{}\n", scores.values.dump());
  return 0;
}

}  // namespace

Verb eval_verb(CLI::App& app) {
  const auto options = std::make_shared<EvalOptions>();
  CLI::App* command = app.add_subcommand("eval", "Score a checkpoint, or a file of SQuAD answers, on data.dev");
  add_common_options(*command, *options);
  command->add_option("--predictions", options->files.predictions,
                      "Score this JSON file (question id to text) instead of a model");
  command->add_option("--na-probabilities", options->files.no_answer_probabilities,
                      "JSON file, question id to the probability of no answer, for SQuAD 2.0");
  command->add_option("--na-probability-threshold", options->files.probability_threshold,
                      "Answers with a higher probability of no answer are withheld [1]");
  return {command, [options] { return run_eval(*options); }};
}

}  // namespace phasor::cli
