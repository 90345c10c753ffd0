#include "models/own/settings.h"

#include <algorithm>
#include <cstdlib>

#include "models/config/config_file.h"
#include "models/config/load_config.h"
#include "models/own/batch.h"
#include "models/plan/memory_use.h"

namespace phasor::own {

namespace {

bool is_setting(const std::string& key) {
  return key.starts_with("training.") || key.starts_with("execution.") || key == "model.precision" ||
         key == "model.seed";
}

}  // namespace

run::ResolvedRun resolve_settings(const Stages& stages, Settings settings) {
  for (const auto& [key, value] : settings) {
    if (is_setting(key)) continue;
    constexpr std::size_t kLongestKey = 100;
    const std::string nearest = run::nearest_key(key.substr(0, kLongestKey));
    check(nearest == key || !is_setting(nearest), "unknown key '{}'. Did you mean '{}'?", key.substr(0, kLongestKey),
          nearest);
    throw UserError(
        fmt::format("'{}' says nothing of a model of one's own, whose stages are given; expected keys of training and "
                    "execution, model.precision or model.seed",
                    key));
  }
  const std::int64_t size = micro_batch_size(stages);
  const auto replicas = settings.find("execution.data_parallel");
  settings["execution.micro_batch_size"] = std::to_string(size);
  if (!settings.contains("training.global_batch_size")) {
    const std::int64_t count = replicas == settings.end() ? 1 : std::atoll(replicas->second.c_str());
    constexpr std::int64_t kMostReplicas = 1 << 16;  // what is wrong with more is told where they are read
    settings["training.global_batch_size"] = std::to_string(size * std::clamp<std::int64_t>(count, 1, kMostReplicas));
  }
  settings["data.cache"] = "none";
  // As small a model as there is, whose sizes come into nothing.
  for (const auto& [key, value] : {std::pair{"model.layers", "1"},
                                   {"model.hidden_size", "4"},
                                   {"model.heads", "1"},
                                   {"model.intermediate_size", "4"},
                                   {"model.vocab_size", "8"}}) {
    settings[key] = value;
  }
  run::ResolvedRun run = run::settle_defaults(run::load_config("", settings, "the settings"));
  if (!settings.contains("execution.recompute")) run.execution.recompute = Recompute::layer;
  return run;
}

void check_room(const Stages& stages, const run::ResolvedRun& run) {
  const run::Budgets budgets = run::budgets_of(run);
  const std::optional<std::int64_t>& room = run.store.in_files ? budgets.files : budgets.host;
  if (!room) return;
  const OptimizerOptions& optimizer = run.training.optimizer;
  const int kept = 1 + (optimizer.keeps_moment1() ? 1 : 0) + (optimizer.keeps_moment2() ? 1 : 0);
  double parameters = 0, rows = 0;  // the rows of a micro-batch, in bytes
  for (const Stage& stage : stages) {
    for (const Variable& variable : stage.variables) {
      parameters += static_cast<double>(count_elements(stage, variable)) * stage.instances;
    }
    for (const NamedValue& input : stage.batch) rows += static_cast<double>(stage.graph.spec(input.value).bytes());
    if (stage.y.valid()) rows += static_cast<double>(stage.graph.spec(stage.y).bytes()) * stage.instances;
  }
  const double bytes =
      parameters * kept * static_cast<double>(size_of(DType::f32)) + rows * static_cast<double>(run.micro_batches());
  check(bytes <= static_cast<double>(*room),
        "model: its {:.4g} parameters, their moments and what passes between its stages take {:.4g} MiB, {} has {:.4g}",
        parameters, bytes / (1 << 20), run.store.in_files ? "execution.remote.path" : budgets.host_limit,
        mebibytes(*room));
}

Schedule schedule_of(const run::TrainingConfig& training) {
  const bool constant = training.function == Schedule::Function::constant && training.warmup_proportion == 0;
  check(training.steps > 0 || constant,
        "training.steps is missing: the learning rate follows from it, unless it is constant without warm-up");
  return {.function = training.function,
          .maximum = training.learning_rate,
          .minimum = training.minimum_rate,
          .warmup_proportion = training.warmup_proportion,
          .steps = std::max<std::int64_t>(1, training.steps),
          .power = training.power};
}

}  // namespace phasor::own
