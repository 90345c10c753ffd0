#include <cstring>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/cli/run_start.h"
#include "models/cli/text/shell_word.h"
#include "models/cli/verbs.h"
#include "models/config/config_changes.h"
#include "models/config/config_file.h"
#include "models/config/load_config.h"
#include "models/machine/facts.h"
#include "models/report/run_report.h"
#include "models/run/scored_checkpoints.h"
#include "models/run/training.h"
#include "models/tasks/task_table.h"

namespace phasor::cli {

namespace {

struct TrainOptions : CommonOptions {
  std::string output;
  bool trace = false, tensorboard = false, report = false;
  bool force = false;
};

constexpr const char* kTraceSteps = "3";

// The flags are short for keys; a key that is given wins.
void apply_flags(TrainOptions& options) {
  if (options.trace) options.overrides.emplace("execution.trace", kTraceSteps);
  if (options.tensorboard) options.overrides.emplace("training.tensorboard", "true");
  if (options.report) options.overrides.emplace("training.report", "true");
}

// What the report tells about machine and versions.
run::NamedTexts machine_texts(int threads) {
  run::NamedTexts texts;
  for (const auto& facts : {run::machine_facts(threads), run::version_facts()}) {
    for (const auto& [name, value] : facts.items()) {
      texts.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  texts.emplace_back("started", fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr))));
  return texts;
}

void print_outcome(const run::TrainingOutcome& outcome) {
  // Means of the same steps are one mean.
  const auto& [first, last] = outcome.loss;
  const std::string loss = first == last ? fmt::format("{:.4f}", last) : fmt::format("{:.4f} -> {:.4f}", first, last);
  const std::string of_new_steps =
      outcome.steps == outcome.first_step
          ? ""
          : fmt::format("loss {}, {:.1f} samples/s, device peak {:.1f} MiB, ", loss, outcome.samples_per_second,
                        static_cast<double>(outcome.device_peak_bytes) / (1 << 20));
  fmt::print("{} steps, {}saved to {}\n", outcome.steps, of_new_steps, outcome.checkpoint);
}

// What to type when a signal has ended a run.
void print_way_on(const run::TrainingOutcome& outcome, const std::string& output) {
  fmt::print(stderr,
             "phasor: SIG{0} ended '{1}' behind step {2} of {3}; to go on, type: phasor train {4} --output {4}\n",
             sigabbrev_np(outcome.stopped_by), output, outcome.steps, outcome.schedule_steps, shell_word(output));
}

// The scores at the end of a run, where there is something to score.
std::optional<run::Scores> final_scores(const run::Task& task, run::ResolvedRun run, run::TrainingOutcome& outcome,
                                        const std::string& output, io::Listener& listener) {
  if (outcome.stopped_by != 0 || !task.can_evaluate(run)) return std::nullopt;
  if (outcome.scores) return std::move(outcome.scores);
  run.checkpoint.load = outcome.checkpoint;
  run::Scores scores = task.evaluate(run, listener);
  run::keep_figures(output, scores);
  if (run.watch.report && !scores.figures.empty()) run::write_report(output);
  return scores;
}

int run_train(TrainOptions& options) {
  apply_flags(options);
  io::TerminalListener listener = options.listener();
  apply_ipu_config(options, listener);
  const run::RunConfig config = run::load_config(options.source, options.overrides);
  run::validate(config);
  run::RunFolder folder(options.output);
  const RunStart start = start_run(config, options, options.force, folder);
  // The record leaves open what the next machine chooses.
  const run::ResolvedRun run = resolve(start.config, run::Purpose::train, listener).run;
  const auto task = tasks::make_task(run);
  run::TrainingOutcome outcome = run::train(*task,
                                            {.run = run,
                                             .record = start.record,
                                             .machine = machine_texts(run.all_threads()),
                                             .changes = run::changes_of_resumed(start.config)},
                                            folder, listener);
  nlohmann::ordered_json summary{{"steps", outcome.steps},
                                 {"first_loss", outcome.loss.first},
                                 {"loss", outcome.loss.last},
                                 {"seconds", outcome.seconds},
                                 {"samples_per_second", outcome.samples_per_second},
                                 {"device_peak_bytes", outcome.device_peak_bytes},
                                 {"checkpoint", outcome.checkpoint}};
  print_outcome(outcome);
  if (outcome.stopped_by != 0) print_way_on(outcome, options.output);
  if (const auto scores = final_scores(*task, run, outcome, options.output, listener)) {
    fmt::print("{}", scores->text);
    summary.update(scores->values);
  }
  if (options.json) fmt::print("{}\n", summary.dump());
  constexpr int kSignalled = 128;  // as shells have it
  return outcome.stopped_by == 0 ? 0 : kSignalled + outcome.stopped_by;
}

}  // namespace

Verb train_verb(CLI::App& app) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "Train a model; with data.dev, evaluate it at the end");
  add_common_options(*command, *options);
  add_ipu_config(*command, *options);
  command
      ->add_option("--output", options->output,
                   "Folder for config.yml, metrics.jsonl and checkpoints; a run that is there goes on")
      ->required();
  command->add_flag("--trace", options->trace, std::string("As --execution.trace ") + kTraceSteps);
  command->add_flag("--tensorboard", options->tensorboard, "As --training.tensorboard true");
  command->add_flag("--report", options->report, "As --training.report true");
  command->add_flag("--force", options->force, "Replace the run that is in the output folder");
  return {command, [options] { return run_train(*options); }};
}

}  // namespace phasor::cli
