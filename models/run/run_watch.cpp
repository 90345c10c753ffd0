#include "models/run/run_watch.h"

#include "models/architecture/model_config.h"
#include "models/report/plan_picture.h"
#include "models/report/run_report.h"

namespace phasor::run {

namespace {

const char* name_of(Mode mode) { return mode == Mode::phased ? "phased" : "monolithic"; }
const char* name_of(Precision precision) { return precision == Precision::bfloat16 ? "bfloat16" : "float32"; }

std::string summary_of(const ResolvedRun& config) {
  const int devices = config.execution.pipeline.devices;
  return fmt::format("{} · {} samples a step in micro-batches of {} · {}, {} · {} {}{} of {} {}",
                     architecture::summary(config.model), config.training.global_batch_size, config.micro_batch_size,
                     name_of(config.execution.mode), name_of(config.execution.precision), config.execution.replicas,
                     config.execution.replicas == 1 ? "replica" : "replicas",
                     devices > 1 ? fmt::format(" of {} devices", devices) : "", config.execution.threads_per_replica,
                     config.execution.threads_per_replica == 1 ? "thread" : "threads");
}

RunFacts facts_of(const ResolvedRun& config, const Runner& runner, const NamedTexts& machine) {
  return {.summary = summary_of(config),
          .machine = machine,
          .samples_per_step = config.training.global_batch_size,
          .replicas = config.execution.replicas,
          .device_peak_bytes = runner.peak_bytes(),
          .device_lower_bound_bytes = runner.plan(runner.fullest_device()).lower_bound_bytes,
          .device_budget_bytes = config.execution.device_memory,
          .memory = profile_memory(runner.program(runner.fullest_device()), runner.plan(runner.fullest_device()))};
}

}  // namespace

RunWatch::RunWatch(const ResolvedRun& config, const std::string& output, std::int64_t steps_done, Trainer& trainer,
                   const NamedTexts& machine)
    : config_(config.watch),
      output_(output),
      replicas_(config.execution.replicas),
      trainer_(trainer),
      runner_(trainer.runner()),
      log_(output + "/metrics.jsonl", steps_done),
      fingerprinter_(trainer.stages()),
      trace_steps_(config.watch.trace) {
  write_run_facts(output + "/run.json", facts_of(config, runner_, machine));
  if (config_.report) {
    const Program& program = runner_.program(runner_.fullest_device());
    const ProgramPlan& plan = runner_.plan(runner_.fullest_device());
    write_picture(output + "/arena.svg",
                  picture_of(program, plan, find_occupants(program, plan), config.execution.device_memory));
  }
  if (config_.tensorboard) events_.emplace(output, steps_done);
  if (trace_steps_ > 0) runner_.start_trace(trace_steps_);
}

void RunWatch::begin_steps() { step_begin_ = TraceSink::now(); }

bool RunWatch::wants(std::int64_t step) const { return config_.fingerprint > 0 && step % config_.fingerprint == 0; }

void RunWatch::end_steps(std::span<const StepMetrics> steps) {
  // The first step of a run touches memory for the first time: it is forgotten as soon as there are enough others.
  if (is_recording()) {
    if (std::ssize(traced_) == trace_steps_) traced_.erase(traced_.begin());
    traced_.push_back({steps.back().step, step_begin_, TraceSink::now()});
    if (seen_ == trace_steps_) runner_.stop_trace();
  }
  seen_ += static_cast<int>(steps.size());
  write_held_line();
  fingerprints_ = wants(steps.back().step);
  if (fingerprints_) fingerprinter_.start(trainer_.state());
}

void RunWatch::tell(const StepMetrics& line) {
  if (fingerprints_ && wants(line.step)) {
    held_ = line;
  } else {
    log_.write(line);
  }
  if (!events_) return;
  if (line.gradient_norm)
    events_->write(line.step, {{"training/gradient_norm", static_cast<float>(*line.gradient_norm)}});
  events_->write(line.step, {{"training/loss", static_cast<float>(line.loss)},
                             {"training/learning_rate", static_cast<float>(line.learning_rate)},
                             {"speed/samples_per_second", static_cast<float>(line.samples_per_second)},
                             {"speed/stall_seconds", static_cast<float>(line.stall_seconds)}});
}

void RunWatch::write_held_line() {
  if (!held_) return;
  held_->fingerprint = fingerprinter_.finish();
  log_.write(*held_);
  held_.reset();
}

void RunWatch::bring_to_disk() {
  write_held_line();
  log_.bring_to_disk();
}

void RunWatch::finish() {
  write_held_line();
  runner_.stop_trace();
  if (!traced_.empty()) io::write_trace(output_ + "/trace.json", make_trace(runner_, replicas_, traced_));
  if (config_.report && log_.lines() > 0) write_report(output_);
}

}  // namespace phasor::run
