#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <thread>

#include "bench/kernel_bench.h"
#include "bench/kernels/table.h"
#include "engine/base/error.h"
#include "models/cli/verbs.h"
#include "models/config/run_limits.h"
#include "models/machine/facts.h"

namespace phasor::cli {

namespace {

struct BenchKernelsOptions {
  std::string only;
  int threads = 0;  // 0: the machine's cores
  bool json = false;
};

const char* unit_of(bench::Limit limit) { return limit == bench::Limit::products ? "GFLOP/s" : "GB/s"; }

void print_table_line(const bench::KernelReport& report) {
  fmt::print("{:<36} {:>9.3f} ms {:>9.2f} {:<7} {:>9.2f} {:>9.3f}", report.name, report.seconds * 1e3,
             report.rate / 1e9, unit_of(report.limit), report.bound.rate / 1e9, report.share_of_bound());
  if (report.limit == bench::Limit::products) fmt::print(" {:>9.3f}  {}", report.share_of_peak(), report.bound.backend);
  fmt::print("\n");
  if (!report.beside.empty()) fmt::print("  {:.3f} of the time of {}\n", report.share_of_beside, report.beside);
  if (!report.bound.note.empty()) fmt::print("  note: {}\n", report.bound.note);
}

void print_json_line(const bench::KernelReport& report, int threads) {
  nlohmann::ordered_json line{
      {"case", report.name}, {"seconds", report.seconds}, {"rate", report.rate / 1e9}, {"unit", unit_of(report.limit)}};
  if (report.limit == bench::Limit::products) {
    line["backend"] = report.bound.trainings;
    line["best_backend"] = report.bound.backend;
    line["best_backend_flops_per_second"] = report.bound.rate;
    line["share_of_best_backend"] = report.share_of_bound();
    line["peak_flops_per_second"] = report.peak_rate;
    line["share_of_peak"] = report.share_of_peak();
  } else {
    line["limit"] = report.bound.rate / 1e9;
    line["share_of_limit"] = report.share_of_bound();
  }
  if (!report.beside.empty()) {
    line["beside"] = report.beside;
    line["share_of_beside"] = report.share_of_beside;
  }
  if (!report.bound.note.empty()) line["note"] = report.bound.note;
  line["machine"] = run::machine_facts(threads);
  line["versions"] = run::version_facts();
  fmt::print("{}\n", line.dump());
}

int run_bench_kernels(const BenchKernelsOptions& options) {
  check(options.threads >= 0, "bench: {} threads cannot run; expected one at least, or 0 for all", options.threads);
  check(options.threads <= run::most_threads(), "bench: --threads {}, expected at most {}", options.threads,
        run::most_threads());
  const int threads =
      options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  bench::KernelEntries chosen = bench::kernel_cases();
  std::erase_if(chosen, [&](const bench::KernelEntry& e) { return e.name.find(options.only) == std::string::npos; });
  check(!chosen.empty(), "bench: no kernel's name contains '{}'", options.only);

  if (!options.json) {
    fmt::print("{}, {} threads\n{:<36} {:>12} {:>17} {:>9} {:>9} {:>9}  {}\n",
               run::machine_facts(threads)["processor"].get<std::string>(), threads, "kernel", "median", "rate",
               "limit", "share", "of peak", "best backend");
  }
  bench::MachineLimits limits(threads);
  for (const bench::KernelEntry& entry : chosen) {
    const bench::KernelReport report = bench::bench_kernel(entry, limits);
    options.json ? print_json_line(report, threads) : print_table_line(report);
    std::fflush(stdout);  // a case takes a while, and a reader may be waiting for it
  }
  return 0;
}

}  // namespace

CLI::App& bench_command(CLI::App& app) {
  CLI::App* bench = app.add_subcommand("bench", "Measure the speed of kernels, or of training steps");
  bench->require_subcommand(1);
  return *bench;
}

Verb bench_kernels_verb(CLI::App& bench) {
  const auto options = std::make_shared<BenchKernelsOptions>();
  CLI::App* command = bench.add_subcommand(
      "kernels", "Each kernel on the shapes of BERT base, compared with its reference and then timed");
  command->add_option("--only", options->only, "Kernels whose name contains this");
  command->add_option("--threads", options->threads, "0: the machine's cores [0]");
  command->add_flag("--json", options->json, "A line of JSON for each kernel");
  return {command, [options] { return run_bench_kernels(*options); }};
}

}  // namespace phasor::cli
