#include <cstring>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/cli/run_start.h"
#include "models/cli/text/score_text.h"
#include "models/cli/text/shell_word.h"
#include "models/cli/verbs.h"
#include "models/config/config_changes.h"
#include "models/config/config_file.h"
#include "models/config/load_config.h"
#include "models/plan/machine_facts.h"
#include "models/squad/training.h"

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
  const std::string loss = outcome.first_loss == outcome.loss
                               ? fmt::format("{:.4f}", outcome.loss)
                               : fmt::format("{:.4f} -> {:.4f}", outcome.first_loss, outcome.loss);
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

int run_train(TrainOptions& options) {
  apply_flags(options);
  const run::RunConfig config = run::load_config(options.source, options.overrides);
  run::validate(config);
  run::RunFolder folder(options.output);
  RunStart start = start_run(config, options, options.force, folder);
  // The record leaves open what the next machine chooses.
  run::ResolvedRun run = resolve(start.config, run::Purpose::train, options).run;
  const std::vector<std::string> changes = run::changes_of_resumed(start.config);
  const auto tell_changes = [&] {
    for (const std::string& line : changes) fmt::print(stderr, "{}\n", line);
  };
  const run::TrainingOutcome outcome =
      run::train_squad(run, start.record, folder, options.progress(), machine_texts(run.all_threads()), tell_changes);
  nlohmann::ordered_json summary{{"steps", outcome.steps},
                                 {"first_loss", outcome.first_loss},
                                 {"loss", outcome.loss},
                                 {"seconds", outcome.seconds},
                                 {"samples_per_second", outcome.samples_per_second},
                                 {"device_peak_bytes", outcome.device_peak_bytes},
                                 {"checkpoint", outcome.checkpoint}};
  print_outcome(outcome);
  if (outcome.stopped_by != 0) {
    print_way_on(outcome, options.output);
  } else if (!run.data.dev.empty()) {
    run.checkpoint.load = outcome.checkpoint;
    const run::SquadEvaluation scores = outcome.scores ? *outcome.scores : run::evaluate_squad(run, options.progress());
    print_scores(scores);
    add_scores(scores, summary);
  }
  if (options.json) fmt::print("{}\n", summary.dump());
  constexpr int kSignalled = 128;  // as shells have it
  return outcome.stopped_by == 0 ? 0 : kSignalled + outcome.stopped_by;
}

}  // namespace

Verb train_verb(CLI::App& app) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "Fine-tune on SQuAD; with data.dev, evaluate at the end");
  add_common_options(*command, *options);
  command
      ->add_option("--output", options->output,
                   "Folder for config.yml, metrics.jsonl and checkpoints; a run that is there goes on")
      ->required();
  command->add_flag("--trace", options->trace, std::string("As --execution.trace ") + kTraceSteps);
  command->add_flag("--tensorboard", options->tensorboard, "As --training.tensorboard true");
  command->add_flag("--report", options->report, "As --training.report true");
  command->add_flag("--force", options->force, "Replace the run that is in the output folder");
  const auto exit_code = std::make_shared<int>(0);
  return {command, [options, exit_code] { *exit_code = run_train(*options); }, exit_code};
}

}  // namespace phasor::cli
