#include "models/verify/planned_executions.h"

#include <algorithm>

#include "models/verify/executions/transformers_check.h"
#include "models/verify/expectation.h"

namespace phasor::run {

namespace {

constexpr const char* kSource = "--against";

Settings other_mode(const RunConfig& config) {
  return {{"execution.mode", config.execution.mode == Mode::phased ? "monolithic" : "phased"}};
}

// "execution.mode phased, model.seed 3"
std::string values_of(const std::vector<ConfigChange>& changes, std::string ConfigChange::*value) {
  std::string text;
  for (const ConfigChange& change : changes) {
    const std::string& shown = change.*value;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", change.key, shown.empty() ? "''" : shown);
  }
  return text;
}

Resolution resolve(const RunConfig& config, io::Listener& listener) {
  Resolution resolution = resolve_run(config, Purpose::train);
  if (!resolution.note.empty()) listener.note(resolution.note);
  return resolution;
}

PlannedExecution changed_execution(const RunConfig& first, const ResolvedRun& resolved, const RunConfig& config,
                                   const std::vector<ConfigChange>& changes, io::Listener& listener) {
  const Expectation expected = expectation_of(first, config, changes);
  PlannedExecution planned{.beside = values_of(changes, &ConfigChange::then),
                           .name = values_of(changes, &ConfigChange::now),
                           .explained = expected.why,
                           .rounding = expected.rounding,
                           .resolution = resolve(config, listener),
                           .python = ""};
  planned.same_samples = std::ranges::none_of(changes, [](const ConfigChange& change) {
    return change.key.starts_with("data.") || change.key.starts_with("model.");
  });
  const ResolvedRun& own = planned.resolution.run;
  planned.same_micro_batches =
      resolved.micro_batch_size == own.micro_batch_size && resolved.samples_of_sequence == own.samples_of_sequence;
  const ExecutionOptions &mine = resolved.execution, &its = own.execution;
  planned.same_sums =
      mine.replicas == its.replicas && mine.accumulation == its.accumulation && mine.reproducible == its.reproducible;
  return planned;
}

PlannedExecution transformers_execution(const std::string& python, const Resolution& first) {
  check_transformers_trains(first.run);
  const bool rounds = first.run.execution.precision == Precision::bfloat16;
  return {
      .beside = "this run",
      .name = "transformers",
      .explained = rounds ? "PyTorch computes in float32, and in another order" : "PyTorch computes in another order",
      .rounding = rounds ? Rounding::precision : Rounding::order,
      .resolution = first,
      .same_micro_batches = false,
      .same_sums = false,
      .python = python};
}

}  // namespace

PlannedExecutions plan_executions(const VerifyRequest& request, io::Listener& listener) {
  PlannedExecutions planned{.name = "", .first = resolve(request.config, listener), .others = {}};
  std::vector<ConfigChange> named;  // what the first one is, where others are something else
  const bool is_default = request.against.empty() && request.transformers.empty() && request.records.empty();
  for (const Settings& settings : is_default ? std::vector<Settings>{other_mode(request.config)} : request.against) {
    RunConfig config = request.config;
    set_fields(config, settings, kSource);
    validate(config);
    const std::vector<ConfigChange> changes = changes_since(to_yaml(request.config), config);
    check(!changes.empty(), "{}: the run has {} {} already", kSource, settings.front().first, settings.front().second);
    for (const ConfigChange& change : changes) {
      if (std::ranges::find(named, change.key, &ConfigChange::key) == named.end()) named.push_back(change);
    }
    planned.others.push_back(changed_execution(request.config, planned.first.run, config, changes, listener));
  }
  for (const std::string& python : request.transformers) {
    planned.others.push_back(transformers_execution(python, planned.first));
  }
  planned.name = named.empty() ? "this run" : values_of(named, &ConfigChange::then);
  return planned;
}

}  // namespace phasor::run
