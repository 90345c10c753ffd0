#include "models/verify/verify.h"

#include <list>
#include <memory>

#include "models/plan/resolve_run.h"
#include "models/tasks/task_table.h"
#include "models/verify/bound.h"
#include "models/verify/expectation.h"
#include "models/verify/lockstep.h"

namespace phasor::run {

namespace {

constexpr const char* kSource = "--against";

Settings other_mode(const RunConfig& config) {
  return {{"execution.mode", config.execution.mode == Mode::phased ? "monolithic" : "phased"}};
}

bool is_of(const ConfigChange& change, std::string_view section) { return change.key.starts_with(section); }

// Runs of one task on one machine, and their samples, which they share where they can.
class Runs {
 public:
  Runs(const VerifyRequest& request, io::Listener& listener) : request_(request), listener_(listener) {}

  struct Run {
    ResolvedRun config;
    const Samples* samples = nullptr;
  };

  Run resolve(const RunConfig& config, bool same_samples) {
    Resolution resolution = resolve_run(config, Purpose::train);
    if (!resolution.note.empty()) listener_.note(resolution.note);
    if (!same_samples || samples_.empty()) {
      samples_.push_back(tasks::make_task(resolution.run)->training_samples(resolution.run, listener_));
    }
    return {.config = std::move(resolution.run),
            .samples = same_samples ? samples_.front().get() : samples_.back().get()};
  }

  Execution& begin(const Run& run, bool planted) {
    ExecutionParts parts;
    if (planted && request_.parts) parts = request_.parts(planted_++);
    executions_.push_back(std::make_unique<ConfiguredExecution>(run.config, *run.samples, listener_, std::move(parts)));
    return *executions_.back();
  }

 private:
  const VerifyRequest& request_;
  io::Listener& listener_;
  std::vector<std::unique_ptr<Samples>> samples_;
  std::vector<std::unique_ptr<Execution>> executions_;  // end before the samples
  std::size_t planted_ = 0;
};

// "execution.mode phased, model.seed 3"
std::string values_of(const std::vector<ConfigChange>& changes, std::string ConfigChange::*value) {
  std::string text;
  for (const ConfigChange& change : changes) {
    const std::string& shown = change.*value;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", change.key, shown.empty() ? "''" : shown);
  }
  return text;
}

}  // namespace

VerifyResult verify(const VerifyRequest& request, io::Listener& listener) {
  check(request.steps >= 1, "verify: --steps {} compares nothing, expected 1 or more", request.steps);
  Runs runs(request, listener);
  const Runs::Run first = runs.resolve(request.config, true);
  Execution& first_execution = runs.begin(first, true);
  const std::int64_t last = total_steps(first.config.training, first.samples->size());
  check(first_execution.done() < last,
        "verify: the run is finished, it has done {} of {} steps. Give a larger training.steps", first_execution.done(),
        last);

  std::vector<ConfigChange> named;  // what the first one is, where others are something else
  std::vector<OtherExecution> others;
  const bool default_pair = request.against.empty() && request.records.empty();
  for (const Settings& settings : default_pair ? std::vector<Settings>{other_mode(request.config)} : request.against) {
    RunConfig config = request.config;
    set_fields(config, settings, kSource);
    validate(config);
    const std::vector<ConfigChange> changes = changes_since(to_yaml(request.config), config);
    check(!changes.empty(), "{}: the run has {} {} already", kSource, settings.front().first, settings.front().second);
    for (const ConfigChange& change : changes) {
      if (std::ranges::none_of(named, [&](const ConfigChange& one) { return one.key == change.key; })) {
        named.push_back(change);
      }
    }
    const Expectation expected = expectation_of(request.config, config, changes);
    const bool same_samples = std::ranges::none_of(
        changes, [](const ConfigChange& change) { return is_of(change, "data.") || is_of(change, "model."); });
    const Runs::Run run = runs.resolve(config, same_samples);
    OtherExecution other{.beside = values_of(changes, &ConfigChange::then),
                         .name = values_of(changes, &ConfigChange::now),
                         .explained = expected.why,
                         .execution = &runs.begin(run, true),
                         .rounding = expected.rounding,
                         .probes = {}};
    check(other.execution->done() == first_execution.done(),
          "verify: one execution begins behind step {}, another behind {}", first_execution.done(),
          other.execution->done());
    const ExecutionOptions &mine = first.config.execution, &its = run.config.execution;
    other.same_micro_batches = first.config.micro_batch_size == run.config.micro_batch_size &&
                               first.config.samples_of_row == run.config.samples_of_row;
    other.same_sums =
        mine.replicas == its.replicas && mine.accumulation == its.accumulation && mine.reproducible == its.reproducible;
    if (expected.rounding == Rounding::order || expected.rounding == Rounding::precision) {
      for (int p = 0; p < kProbes; ++p) other.probes.push_back(&runs.begin(first, false));
    }
    others.push_back(std::move(other));
  }
  std::list<RecordedRun> records;
  for (const std::string& path : request.records) {
    const RecordedRun& record = records.emplace_back(path);
    check(record.last_step() > first_execution.done(), "verify: '{}' ends with step {}, this run begins behind {}",
          path, record.last_step(), first_execution.done());
    others.push_back(
        {.beside = "this run", .name = fmt::format("'{}'", path), .explained = "", .record = &record, .probes = {}});
  }
  const LockstepOptions options{.steps = std::min(request.steps, last - first_execution.done()),
                                .activations = request.activations};
  const std::string name = named.empty() ? "this run" : values_of(named, &ConfigChange::then);
  return run_lockstep(name, first_execution, others, options, listener);
}

}  // namespace phasor::run
