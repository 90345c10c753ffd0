#include "models/run/training.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "models/config/training_stages.h"
#include "models/report/run_report.h"
#include "models/run/first_weights.h"
#include "models/run/machine.h"
#include "models/run/output_lines.h"
#include "models/run/resume.h"
#include "models/run/run_watch.h"
#include "models/run/scored_checkpoints.h"
#include "models/run/steps.h"
#include "models/run/stop_signals.h"

namespace phasor::run {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Sets the state, and `position` to where the run stands with it.
void take_first_weights(const ResolvedRun& config, Trainer& trainer, RunPosition& position, io::Listener& listener) {
  const std::string& load = config.checkpoint.load;
  if (!load.empty()) check_same_run(load, read_position(load), position);
  const RunPosition saved = load_first_weights(config, trainer.stages(), trainer.state(), listener);
  position.step = saved.step;
  position.samples = saved.samples;
}

// A run that is ready, from its first step, or the one after a checkpoint's, to its end.
struct TrainingLoop {
  const TrainingRequest& request;
  const std::string& output;
  const Schedule& schedule;
  RunSteps steps;
  Trainer& trainer;
  ScoredCheckpoints& checkpoints;
  RunPosition position;
  io::Listener& listener;

  std::int64_t first_sample = position.samples;  // of this run

  OutputLines lines{*parse_outputs(request.run.watch.outputs)};
  std::vector<StepMetrics> metrics{};  // of this run's steps
  bool stopped = false;                // somebody who goes along wants it to end

  TrainingOutcome run() {
    const ResolvedRun& config = request.run;
    const std::int64_t stop_after = config.training.stop_after;
    const std::int64_t end = stop_after > 0 ? std::min(stop_after, schedule.steps) : schedule.steps;
    const std::int64_t first = position.step;
    const bool saved = is_same_place(config.checkpoint.load, checkpoints.path());
    tell_where_it_stands(saved);
    checkpoints.go_on(first, saved);
    if (saved && first >= schedule.steps) {
      make_missing_report();
      return outcome(first, 0);
    }
    const StopSignals signals;
    RunWatch watch(config, output, first, trainer, request.machine);
    trainer.before_state_changes([this, &watch] {
      checkpoints.wait_until_read();
      watch.wait_until_read();
    });
    const auto progress = listener.progress("training", std::max<std::int64_t>(0, end - first), "steps");
    const Clock::time_point start = Clock::now();
    if (request.events.begins) request.events.begins(first, end);
    while (position.step < end && signals.received() == 0 && !stopped) {
      const int count = steps_together(watch, end);
      for (int i = 1; i <= count && request.events.step_begins; ++i) request.events.step_begins(position.step + i);
      make_steps(watch, count);
      progress->set_text(fmt::format("loss {:.4f}", recent_loss()));
      progress->advance(count);
      if (position.step < end && checkpoints.is_due(position.step)) {
        watch.bring_to_disk();  // the log first: it has every step that a checkpoint counts
        if (request.events.saving) request.events.saving(position.step);
        checkpoints.save(trainer.state(), position);
      }
    }
    const double seconds = seconds_since(start);
    progress->finish();
    tell(watch, lines.rest());
    watch.bring_to_disk();
    if (position.step > first || !saved) {
      if (request.events.saving) request.events.saving(position.step);
      checkpoints.save_last(trainer.state(), position);
    }
    watch.finish();
    TrainingOutcome result = outcome(first, seconds);
    result.stopped_by = signals.received();
    return result;
  }

  // As many as the host prepares at a time, but none behind a step that it has to see.
  int steps_together(const RunWatch& watch, std::int64_t end) const {
    const std::int64_t most = std::min<std::int64_t>(request.run.execution.device_iterations, end - position.step);
    if (watch.is_recording()) return 1;
    int count = 1;
    while (count < most && !checkpoints.is_due(position.step + count) && !watch.wants(position.step + count)) ++count;
    return count;
  }

  void make_steps(RunWatch& watch, int count) {
    watch.begin_steps();
    const Clock::time_point start = Clock::now();
    const double stalled = trainer.runner().time_spent().transfer;
    const std::vector<StepOutcome> done = steps.next(count);
    const double seconds = seconds_since(start), stall = trainer.runner().time_spent().transfer - stalled;
    const double samples = static_cast<double>(steps.samples_taken() - position.samples);
    for (const StepOutcome& step : done) {
      position.step += 1;
      const double loss = step.result.loss;
      check(std::isfinite(loss), "training: the loss of step {} is {}. Try a smaller learning rate or max_grad_norm",
            position.step, loss);
      metrics.push_back({.step = position.step,
                         .samples = step.samples,
                         .loss = loss,
                         .learning_rate = step.learning_rate,
                         .gradient_norm = step.result.gradient_norm,
                         .samples_per_second = samples / seconds,
                         .device_peak_bytes = trainer.runner().peak_bytes(),
                         .stall_seconds = stall / count});
    }
    position.samples = steps.samples_taken();
    const auto made = std::span(metrics).last(done.size());
    watch.end_steps(made);
    for (const StepMetrics& step : made) {
      tell(watch, lines.add(step, {.ends_iterations = step.step == position.step,
                                   .is_wanted = watch.wants(step.step) || checkpoints.is_due(step.step)}));
    }
  }

  void tell(RunWatch& watch, const std::optional<StepMetrics>& line) {
    if (!line) return;
    watch.tell(*line);
    if (request.events.step_done && !request.events.step_done(*line)) stopped = true;
  }

  double recent_loss() const {
    const auto shown = std::span(metrics).last(std::min<std::size_t>(metrics.size(), 20));
    const double sum = std::accumulate(shown.begin(), shown.end(), 0.0,
                                       [](double total, const StepMetrics& one) { return total + one.loss; });
    return sum / static_cast<double>(shown.size());
  }

  void tell_where_it_stands(bool saved) const {
    if (position.step == 0) return;
    if (saved && position.step >= schedule.steps) {
      listener.note(fmt::format("'{}' is finished: it has done {} of {} steps", output, position.step, schedule.steps));
    } else {
      listener.note(fmt::format("'{}' goes on behind step {} of {}", output, position.step, schedule.steps));
    }
  }

  // Of a run that was killed behind its last save.
  void make_missing_report() const {
    if (request.run.watch.report && !std::filesystem::exists(output + "/report.html")) write_report(output);
  }

  TrainingOutcome outcome(std::int64_t first, double seconds) const {
    const auto done = static_cast<double>(position.samples - first_sample);
    return {.steps = position.step,
            .first_step = first,
            .schedule_steps = schedule.steps,
            .loss = loss_trend(metrics),
            .seconds = seconds,
            .samples_per_second = seconds > 0 ? done / seconds : 0,
            .device_peak_bytes = trainer.runner().high_water_bytes(),
            .checkpoint = checkpoints.path(),
            .scores = checkpoints.scores()};
  }
};

}  // namespace

TrainingOutcome train(const Task& task, const TrainingRequest& request, RunFolder& folder, io::Listener& listener) {
  const ResolvedRun& config = request.run;
  check_first_weights(config);
  folder.claim_checkpoint(checkpoint_path(config.checkpoint, folder.path()));

  const std::unique_ptr<Samples> samples = task.training_samples(config, listener);
  const Schedule schedule = schedule_of(config.training, samples->size());
  Machine machine = make_machine(config);
  Trainer trainer(lower(config), config.training.optimizer, config.execution,
                  static_cast<int>(config.micro_batch().rows), machine);
  ScoredCheckpoints checkpoints(task, config, folder.path(), schedule.steps, trainer.stages(), listener);
  RunPosition position = start_of(config, request.record, *samples);
  take_first_weights(config, trainer, position, listener);
  if (task.can_evaluate(config)) task.check_evaluation(config, listener);

  // Nothing has changed in the folder so far; from here on it is this run's.
  for (const std::string& change : request.changes) listener.warning(change);
  folder.begin(request.record);
  return TrainingLoop{.request = request,
                      .output = folder.path(),
                      .schedule = schedule,
                      .steps = RunSteps(config, *samples, schedule, trainer, position),
                      .trainer = trainer,
                      .checkpoints = checkpoints,
                      .position = position,
                      .listener = listener}
      .run();
}

}  // namespace phasor::run
