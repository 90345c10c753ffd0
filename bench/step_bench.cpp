#include "bench/step_bench.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/resident_memory.h"
#include "bench/synthetic_samples.h"
#include "bench/timing.h"
#include "engine/train/trainer.h"
#include "models/architecture/model_config.h"
#include "models/batches/step_batch.h"
#include "models/run/machine.h"

namespace phasor::bench {

namespace {

constexpr int kStepLimitSamples = 3;  // before the steps, and again after them

class StepBench {
 public:
  explicit StepBench(const run::ResolvedRun& config)
      : config_(config),
        machine_(run::make_machine(config)),
        stages_(architecture::training_stages(config.model, config.micro_batch(), config.table_slices)),
        trainer_(stages_, config.training.optimizer, config.execution, static_cast<int>(config.micro_batch().rows),
                 machine_),
        layout_{
            .replicas = config.execution.replicas, .rows = config.micro_batch().rows, .room = run::row_room(config)},
        samples_(stages_, config.micro_batch()),
        tensors_(trainer_.stages()) {
    run::use_all_threads(config);
    trainer_.state().initialise(static_cast<std::uint64_t>(config.seed));
  }

  // Trains a step and returns its duration and its parts.
  StepReport step() {
    const std::vector<TimeSpent> before = time_spent();
    StepReport report;
    report.seconds = seconds_of([&] {
      write_batches();
      report.loss = trainer_.step({.step = step_,
                                   .seed = static_cast<std::uint64_t>(config_.seed),
                                   .learning_rate = config_.training.learning_rate,
                                   .loss_scale = config_.loss_scaling});
    });
    check(std::isfinite(report.loss), "bench: the loss of step {} is {}. Try a smaller learning rate", step_ + 1,
          report.loss);
    const std::vector<TimeSpent> after = time_spent();
    double in_phases = 0;      // of the device that is in them longest
    std::vector<double> busy;  // of each, without waiting for others
    for (std::size_t device = 0; device < after.size(); ++device) {
      report.stall_seconds += after[device].transfer - before[device].transfer;
      double of_device = 0;
      for (const PhaseSeconds& phase : phase_seconds(static_cast<int>(device), before[device], after[device])) {
        of_device += phase.seconds;
        report.phases.push_back(phase);
      }
      in_phases = std::max(in_phases, of_device);
      busy.push_back(of_device - (after[device].idle - before[device].idle));
    }
    if (busy.size() > 1) {
      for (const double seconds : busy) report.idle_shares.push_back(1 - seconds / in_phases);
    }
    report.stall_seconds /= static_cast<double>(after.size());
    report.phases.push_back({"host", report.seconds - in_phases});
    ++step_;
    return report;
  }

  void add_rates(StepReport& report) const {
    const auto samples = static_cast<double>(config_.training.global_batch_size);
    report.samples_per_second = samples / report.seconds;
    report.tokens_per_second = report.samples_per_second * static_cast<double>(samples_.tokens_of_sample());
    report.model_flops_per_second = report.samples_per_second * architecture::training_flops_per_sample(config_.model);
    report.device_peak_bytes = trainer_.runner().peak_bytes();
    report.device_lower_bound_bytes = trainer_.runner().plan(trainer_.runner().fullest_device()).lower_bound_bytes;
    report.arena_high_water_bytes = trainer_.runner().high_water_bytes();
    report.remote_bytes = machine_.memory.bytes();
    report.threads = all_threads();
  }

  const Stages& stages() const { return stages_; }
  int all_threads() const { return config_.all_threads(); }

 private:
  void write_batches() {
    std::vector<std::int64_t> chosen(static_cast<std::size_t>(config_.training.global_batch_size));
    std::iota(chosen.begin(), chosen.end(), step_ * config_.training.global_batch_size);
    run::write_step(samples_, chosen, layout_, tensors_, trainer_);
  }

  // Of each device, of replica 0.
  std::vector<TimeSpent> time_spent() const {
    std::vector<TimeSpent> spent;
    for (int device = 0; device < trainer_.runner().devices(); ++device) {
      spent.push_back(trainer_.runner().time_spent(device));
    }
    return spent;
  }

  // What a step took in a device's phases of each name, in the order in which they first run.
  std::vector<PhaseSeconds> phase_seconds(int device, const TimeSpent& before, const TimeSpent& after) const {
    const std::vector<Phase>& phases = trainer_.runner().program(device).phases;
    const std::string prefix = trainer_.runner().devices() > 1 ? fmt::format("device {} ", device) : "";
    std::vector<PhaseSeconds> sums;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      if (phases[i].section != Section::step) continue;
      auto sum = std::ranges::find(sums, prefix + phases[i].name, &PhaseSeconds::name);
      if (sum == sums.end()) sum = sums.insert(sum, {prefix + phases[i].name, 0});
      sum->seconds += after.phases[i] - before.phases[i];
    }
    return sums;
  }

  run::ResolvedRun config_;
  Machine machine_;
  Stages stages_;
  Trainer trainer_;
  run::StepLayout layout_;
  SyntheticSamples samples_;
  run::BatchTensors tensors_;
  std::int64_t step_ = 0;
};

// What the steps are measured against.
class MachineRates {
 public:
  MachineRates(const std::vector<ProductSize>& sizes, DType precision, int threads)
      : products_(sizes, precision, threads), precision_(precision) {}

  void sample() {
    for (int i = 0; i < kStepLimitSamples; ++i) {
      products_.sample();
      const RegisterPeak peak = register_peak(precision_);
      if (peak.flops_per_second > peak_.flops_per_second) peak_ = peak;
    }
  }

  void add_to(StepReport& report) const {
    report.products = products_.own();
    report.best_products = products_.best();
    report.peak = peak_;
    report.notes = products_.notes();
  }

 private:
  ProductRate products_;
  DType precision_;
  RegisterPeak peak_;
};

}  // namespace

StepReport bench_step(const run::ResolvedRun& config, int steps, io::Listener& listener) {
  check(steps > 0, "bench: {} steps cannot be measured; expected one at least", steps);
  StepBench bench(config);
  const auto progress = listener.progress("measuring", steps + 1, "steps");
  bench.step();
  const std::int64_t resident_bytes = resident_peak_bytes();
  progress->advance();
  const DType precision = config.execution.precision == Precision::bfloat16 ? DType::bf16 : DType::f32;
  MachineRates limits(heaviest_products(bench.stages()), precision, bench.all_threads());
  limits.sample();
  std::vector<StepReport> reports;
  std::vector<double> seconds;
  for (int n = 0; n < steps; ++n) {
    reports.push_back(bench.step());
    seconds.push_back(reports.back().seconds);
    progress->set_text(fmt::format("{:.2f} s a step", median(seconds)));
    progress->advance();
  }
  limits.sample();
  progress->finish();
  StepReport report = reports[median_index(seconds)];
  report.loss = reports.back().loss;
  bench.add_rates(report);
  report.resident_peak_bytes = resident_bytes;
  limits.add_to(report);
  return report;
}

}  // namespace phasor::bench
