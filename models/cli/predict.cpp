#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "models/cli/terminal/terminal_side.h"
#include "models/cli/verbs.h"
#include "models/config/load_config.h"
#include "models/tasks/task_table.h"

namespace phasor::cli {

namespace {

struct PredictOptions : CommonOptions {
  std::string output;
  std::vector<std::unique_ptr<TerminalSide>> sides = terminal_sides();
};

// Returns that of the task; null where it has none. Options of the others are refused.
const TerminalSide* choose_side(const CLI::App& command, const PredictOptions& options, const std::string& task) {
  const TerminalSide* chosen = nullptr;
  for (const auto& side : options.sides) {
    if (side->task() == task) {
      chosen = side.get();
      continue;
    }
    for (const CLI::Option* option : command.get_options()) {
      check(option->get_group() != side->task() || option->count() == 0, "{} is for data.task {}, this is {}",
            option->get_name(), side->task(), task);
    }
  }
  return chosen;
}

void answer_file(const run::Task& task, const run::ResolvedRun& run, const TerminalSide* side,
                 const PredictOptions& options, io::Listener& listener) {
  run::Task::PredictRequest request{.output = options.output, .options = {}};
  if (side != nullptr) request.options = side->options_for_files();
  const run::Task::Predictions predictions = task.predict(run, request, listener);
  fmt::print("{}\n", predictions.text);
  if (options.json) fmt::print("{}\n", predictions.values.dump());
}

int run_predict(const CLI::App& command, const PredictOptions& options) {
  io::TerminalListener listener = options.listener();
  const run::ResolvedRun run =
      resolve(run::load_config(options.source, options.overrides), run::Purpose::infer, listener).run;
  check(!options.output.empty() || !options.overrides.contains("data.predict"),
        "--data.predict needs --output, the folder for the answers");
  const auto task = tasks::make_task(run);
  const TerminalSide* side = choose_side(command, options, task->name());
  if (!options.output.empty()) {
    answer_file(*task, run, side, options, listener);
  } else {
    check(side != nullptr, "predict: {} needs --output, the folder for the answers", task->name());
    side->answer(run, options.json, listener);
  }
  return 0;
}

}  // namespace

Verb predict_verb(CLI::App& app) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand("predict",
                                         "Answer what is asked, or go on with a text: the samples of data.predict into "
                                         "--output; of SQuAD and of text also "
                                         "what options ask, or lines that are typed");
  add_common_options(*command, *options);
  command->add_option("--output", options->output,
                      "Folder for the answers to data.predict, or to data.dev if that is empty: of SQuAD "
                      "predictions.json, nbest_predictions.json and null_odds.json, of digits predictions.csv; of text "
                      "continuations.jsonl, for the prompts in data.predict");
  for (const auto& side : options->sides) side->add_options(*command);
  return {command, [command, options] { return run_predict(*command, *options); }};
}

}  // namespace phasor::cli
