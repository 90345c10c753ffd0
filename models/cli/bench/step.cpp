#include <fmt/format.h>
#include <memory>

#include "bench/step_bench.h"
#include "models/cli/verbs.h"
#include "models/config/config_file.h"
#include "models/config/load_config.h"
#include "models/machine/facts.h"

namespace phasor::cli {

namespace {

struct BenchStepOptions : CommonOptions {
  int steps = 3;
};

// Where the configuration is not the user's own file, the work is the one that scripts/compare/bench_pytorch.py
// measures: four micro-batches of four samples on each replica.
void apply_bench_defaults(run::RunConfig& config, const CommonOptions& options) {
  constexpr std::int64_t kMicroBatch = 4, kAccumulation = 4;
  if (!options.source.empty() && !run::presets().contains(options.source)) return;
  if (!options.overrides.contains("execution.micro_batch_size")) config.execution.micro_batch_size = kMicroBatch;
  if (!options.overrides.contains("training.global_batch_size")) {
    config.training.global_batch_size =
        config.execution.micro_batch_size * config.execution.data_parallel * kAccumulation;
  }
}

void print_report(const bench::StepReport& report) {
  fmt::print("{:<24} {:>10.3f}  seconds\n", "step, median", report.seconds);
  for (const bench::PhaseSeconds& phase : report.phases) {
    fmt::print("  {:<22} {:>10.3f}  seconds, {:.1f} %\n", phase.name, phase.seconds,
               100 * phase.seconds / report.seconds);
  }
  fmt::print("{:<24} {:>10.3f}  seconds\n", "waiting for transfers", report.stall_seconds);
  for (std::size_t device = 0; device < report.idle_shares.size(); ++device) {
    fmt::print("{:<24} {:>10.1f}  % of the step\n", fmt::format("device {} idle", device),
               100 * report.idle_shares[device]);
  }
  fmt::print("{:<24} {:>10.3f}  samples/s, {:.1f} tokens/s\n", "rate", report.samples_per_second,
             report.tokens_per_second);
  fmt::print("{:<24} {:>10.3f}  GFLOP/s\n", "of the model", report.model_flops_per_second / 1e9);
  const auto print_limit = [&](const char* what, double flops_per_second, std::string_view by) {
    fmt::print("{:<24} {:>10.3f}  GFLOP/s on {} threads by {}, a share of {:.3f}\n", what, flops_per_second / 1e9,
               report.threads, by, report.share_of(flops_per_second));
  };
  print_limit("its products alone", report.products.flops_per_second, report.products.backends);
  print_limit("  by the best backend", report.best_products.flops_per_second, report.best_products.backends);
  print_limit("  in registers", report.peak.flops_per_second, report.peak.instruction);
  const auto print_memory = [](const char* what, std::int64_t bytes, const char* of) {
    fmt::print("{:<24} {:>10.1f}  MiB{}\n", what, static_cast<double>(bytes) / (1 << 20), of);
  };
  print_memory("device memory, peak", report.device_peak_bytes, " a replica");
  print_memory("remote memory", report.remote_bytes, "");
  print_memory("process, resident peak", report.resident_peak_bytes, " in the first step");
  for (const std::string& note : report.notes) fmt::print("note: {}\n", note);
}

nlohmann::ordered_json to_json(const bench::StepReport& report) {
  nlohmann::ordered_json phases = nlohmann::ordered_json::object();
  for (const bench::PhaseSeconds& phase : report.phases) phases[phase.name] = phase.seconds;
  return {{"samples_per_second", report.samples_per_second},
          {"tokens_per_second", report.tokens_per_second},
          {"model_flops_per_second", report.model_flops_per_second},
          {"backend", report.products.backends},
          {"products_flops_per_second", report.products.flops_per_second},
          {"share_of_products", report.share_of(report.products.flops_per_second)},
          {"best_backend", report.best_products.backends},
          {"best_backend_flops_per_second", report.best_products.flops_per_second},
          {"share_of_best_backend", report.share_of(report.best_products.flops_per_second)},
          {"peak_instruction", report.peak.instruction},
          {"peak_flops_per_second", report.peak.flops_per_second},
          {"share_of_peak", report.share_of(report.peak.flops_per_second)},
          {"notes", report.notes},
          {"seconds_per_step", report.seconds},
          {"phases", phases},
          {"stall_seconds", report.stall_seconds},
          {"idle_shares", report.idle_shares},
          {"device_peak_bytes", report.device_peak_bytes},
          {"device_lower_bound_bytes", report.device_lower_bound_bytes},
          {"arena_high_water_bytes", report.arena_high_water_bytes},
          {"remote_bytes", report.remote_bytes},
          {"resident_peak_bytes", report.resident_peak_bytes},
          {"loss", report.loss},
          {"machine", run::machine_facts(report.threads)},
          {"versions", run::version_facts()}};
}

int run_bench_step(const BenchStepOptions& options) {
  run::RunConfig config = run::load_config(options.source, options.overrides);
  apply_bench_defaults(config, options);
  io::TerminalListener listener = options.listener();
  const run::ResolvedRun run = resolve(config, run::Purpose::train, listener).run;
  const bench::StepReport report = bench::bench_step(run, options.steps, listener);
  print_report(report);
  if (options.json) fmt::print("{}\n", to_json(report).dump());
  return 0;
}

}  // namespace

Verb bench_step_verb(CLI::App& bench) {
  const auto options = std::make_shared<BenchStepOptions>();
  CLI::App* command = bench.add_subcommand("step",
                                           "Train on synthetic inputs: rates, and their share of what products "
                                           "alone and the processor reach. Micro-batch 4, accumulation 4 unless given");
  add_common_options(*command, *options);
  command->add_option("--steps", options->steps, "Steps to measure, after one to warm up [3]");
  return {command, [options] { return run_bench_step(*options); }};
}

}  // namespace phasor::cli
