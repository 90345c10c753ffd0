#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "models/cli/ask.h"
#include "models/cli/verbs.h"
#include "models/config/load_config.h"
#include "models/squad/task.h"
#include "models/task_options/task_options.h"
#include "models/tasks/task_table.h"

namespace phasor::cli {

namespace {

struct PredictOptions : CommonOptions {
  std::string output;
  AskOptions ask;
};

void answer_file(const run::Task& task, const run::ResolvedRun& run, const PredictOptions& options,
                 io::Listener& listener) {
  check(!options.ask.given(),
        "--output is for the questions of a file; --question and --context are answered on the terminal");
  run::Task::PredictRequest request{.output = options.output, .options = {}};
  if (options.ask.unanswerable) request.options[squad::Squad::kUnanswerable] = "true";
  const run::Task::Predictions predictions = task.predict(run, request, listener);
  fmt::print("{}\n", predictions.text);
  if (options.json) fmt::print("{}\n", predictions.values.dump());
}

int run_predict(PredictOptions& options) {
  io::TerminalListener listener = options.listener();
  const run::ResolvedRun run =
      resolve(run::load_config(options.source, options.overrides), run::Purpose::infer, listener).run;
  check(!options.output.empty() || !options.overrides.contains("data.predict"),
        "--data.predict needs --output, the folder for the answers");
  const auto task = tasks::make_task(run);
  if (!options.output.empty()) {
    answer_file(*task, run, options, listener);
  } else {
    check(task->name() == task_options::SquadOptions::kName, "predict: {} needs --output, the folder for the answers",
          task->name());
    options.ask.json = options.json;
    answer_questions(run, options.ask);
  }
  return 0;
}

}  // namespace

Verb predict_verb(CLI::App& app) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand(
      "predict",
      "Answer what is asked: the samples of data.predict into --output; of SQuAD also one --question, or those typed");
  add_common_options(*command, *options);
  command->add_option("--output", options->output,
                      "Folder for the answers to data.predict, or to data.dev if that is empty: of SQuAD "
                      "predictions.json, nbest_predictions.json and null_odds.json, of digits predictions.csv");
  add_ask_options(*command, options->ask);
  return {command, [options] { return run_predict(*options); }};
}

}  // namespace phasor::cli
