#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/cli/config_file.h"
#include "models/cli/loaded_config.h"
#include "models/cli/verbs.h"
#include "models/tasks/squad_training.h"

namespace phasor::cli {

namespace {

struct TrainOptions : CommonOptions {
  std::string output;
};

void run_train(const TrainOptions& options) {
  tasks::RunConfig config = load_config(options.source, options.overrides);
  tasks::resolve_vocab_size(config);
  config.checkpoint.save = tasks::checkpoint_path(config, options.output);
  check_same_model(config);
  if (const std::string changes = changes_of_resumed(config); !changes.empty()) fmt::print(stderr, "{}\n", changes);
  const tasks::TrainingOutcome outcome =
      tasks::train_squad(config, to_yaml(config), options.output, options.progress());
  nlohmann::ordered_json summary{{"steps", outcome.steps},
                                 {"first_loss", outcome.first_loss},
                                 {"loss", outcome.loss},
                                 {"seconds", outcome.seconds},
                                 {"samples_per_second", outcome.samples_per_second},
                                 {"device_peak_bytes", outcome.device_peak_bytes},
                                 {"checkpoint", outcome.checkpoint}};
  fmt::print("{} steps, loss {:.4f} -> {:.4f}, {:.1f} samples/s, device peak {:.1f} MiB, saved to {}\n", outcome.steps,
             outcome.first_loss, outcome.loss, outcome.samples_per_second,
             static_cast<double>(outcome.device_peak_bytes) / (1 << 20), outcome.checkpoint);
  if (!config.data.dev.empty()) {
    config.checkpoint.load = outcome.checkpoint;
    const tasks::SquadScores scores =
        outcome.scores ? *outcome.scores : tasks::evaluate_squad(config, options.progress());
    fmt::print("exact match {:.2f}, F1 {:.2f} on {} questions\n", scores.exact_match, scores.f1, scores.questions);
    summary["exact_match"] = scores.exact_match;
    summary["f1"] = scores.f1;
  }
  if (options.json) fmt::print("{}\n", summary.dump());
}

}  // namespace

Verb train_verb(CLI::App& app) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "Fine-tune on SQuAD; with data.dev, evaluate at the end");
  add_common_options(*command, *options);
  command->add_option("--output", options->output, "Folder for config.yml, metrics.jsonl and checkpoints")->required();
  return {command, [options] { run_train(*options); }};
}

}  // namespace phasor::cli
