#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/machine_facts.h"
#include "models/cli/chosen_config.h"
#include "models/cli/config_file.h"
#include "models/cli/loaded_config.h"
#include "models/cli/score_text.h"
#include "models/cli/verbs.h"
#include "models/tasks/squad_training.h"

namespace phasor::cli {

namespace {

struct TrainOptions : CommonOptions {
  std::string output;
  bool trace = false, tensorboard = false, report = false;
};

constexpr const char* kTraceSteps = "3";

// The flags are short for keys; a key that is given wins.
void apply_flags(TrainOptions& options) {
  if (options.trace) options.overrides.emplace("execution.trace", kTraceSteps);
  if (options.tensorboard) options.overrides.emplace("training.tensorboard", "true");
  if (options.report) options.overrides.emplace("training.report", "true");
}

// What the report tells about machine and versions.
tasks::NamedTexts machine_texts(const tasks::RunConfig& config) {
  tasks::NamedTexts texts;
  const int threads = tasks::validate(config).threads_per_replica * config.execution.data_parallel;
  for (const auto& facts : {bench::machine_facts(threads), bench::version_facts()}) {
    for (const auto& [name, value] : facts.items()) {
      texts.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  texts.emplace_back("started", fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr))));
  return texts;
}

void run_train(TrainOptions& options) {
  apply_flags(options);
  tasks::RunConfig config = load_config(options.source, options.overrides);
  tasks::resolve_vocab_size(config);
  config.checkpoint.save = tasks::checkpoint_path(config, options.output);
  check_same_model(config);
  if (const std::string changes = changes_of_resumed(config); !changes.empty()) fmt::print(stderr, "{}\n", changes);
  const std::string yaml = to_yaml(config);  // choices are left open for the machine that goes on
  config = chosen_config(config, options.quiet);
  const tasks::TrainingOutcome outcome =
      tasks::train_squad(config, yaml, options.output, options.progress(), machine_texts(config));
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
    const tasks::SquadEvaluation scores =
        outcome.scores ? *outcome.scores : tasks::evaluate_squad(config, options.progress());
    print_scores(scores);
    add_scores(scores, summary);
  }
  if (options.json) fmt::print("{}\n", summary.dump());
}

}  // namespace

Verb train_verb(CLI::App& app) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "Fine-tune on SQuAD; with data.dev, evaluate at the end");
  add_common_options(*command, *options);
  command->add_option("--output", options->output, "Folder for config.yml, metrics.jsonl and checkpoints")->required();
  command->add_flag("--trace", options->trace, std::string("As --execution.trace ") + kTraceSteps);
  command->add_flag("--tensorboard", options->tensorboard, "As --training.tensorboard true");
  command->add_flag("--report", options->report, "As --training.report true");
  return {command, [options] { run_train(*options); }};
}

}  // namespace phasor::cli
