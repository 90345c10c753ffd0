#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <thread>

#include "bench/product_bench.h"
#include "engine/base/error.h"
#include "models/cli/verbs.h"
#include "models/config/run_limits.h"
#include "models/machine/facts.h"

namespace phasor::cli {

namespace {

struct BenchProductsOptions {
  std::int64_t hidden = 768;
  std::string precision = "float32";
  int threads = 0;  // 0: the machine's cores
  int rounds = 7;
  bool json = false;
};

void print_line(const bench::ProductCase& c, const std::vector<bench::ProductTime>& times) {
  fmt::print("{:<28} {:>5} x {:<5} x {:<5} {:>9}", c.name, c.shape.m, c.shape.n, c.shape.k, times.front().backend);
  for (const bench::ProductTime& time : times) {
    if (&time != &times.front()) fmt::print("  {} {:.1f}", time.backend, time.flops_per_second / 1e9);
  }
  fmt::print("\n");
}

void print_json_line(const bench::ProductCase& c, const std::vector<bench::ProductTime>& times, int threads) {
  nlohmann::ordered_json rates = nlohmann::ordered_json::object();
  for (const bench::ProductTime& time : times) {
    if (&time != &times.front()) rates[time.backend] = time.flops_per_second / 1e9;
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"case", c.name},
                                            {"m", c.shape.m},
                                            {"n", c.shape.n},
                                            {"k", c.shape.k},
                                            {"serves", times.front().backend},
                                            {"gflops_per_second", rates},
                                            {"machine", run::machine_facts(threads)},
                                            {"versions", run::version_facts()}}
                         .dump());
}

int run_bench_products(const BenchProductsOptions& options) {
  check(options.threads >= 0 && options.threads <= run::most_threads(), "bench: --threads {} is outside 0 .. {}",
        options.threads, run::most_threads());
  check(options.hidden >= 64 && options.hidden <= 1 << 14, "bench: --hidden {} is outside 64 .. {}", options.hidden,
        1 << 14);
  check(options.rounds >= 1, "bench: --rounds {}, expected one at least", options.rounds);
  check(options.precision == "float32" || options.precision == "bfloat16",
        "bench: --precision '{}', expected float32 or bfloat16", options.precision);
  const int threads =
      options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const DType precision = options.precision == "bfloat16" ? DType::bf16 : DType::f32;
  if (!options.json) {
    fmt::print("{}, {} threads, GFLOP/s\n", run::machine_facts(threads)["processor"].get<std::string>(), threads);
  }
  for (const bench::ProductCase& c : bench::layer_products(options.hidden, precision)) {
    const std::vector<bench::ProductTime> times = bench::time_product(c, threads, options.rounds);
    options.json ? print_json_line(c, times, threads) : print_line(c, times);
    std::fflush(stdout);  // a case takes a while, and a reader may be waiting for it
  }
  return 0;
}

}  // namespace

Verb bench_products_verb(CLI::App& bench) {
  const auto options = std::make_shared<BenchProductsOptions>();
  CLI::App* command =
      bench.add_subcommand("products", "Each backend of matrix products on the shapes of a layer of BERT, by turns");
  command->add_option("--hidden", options->hidden, "Width of the hidden layer: 768 is BERT base, 1024 large [768]");
  command->add_option("--precision", options->precision, "Of the operands: float32 or bfloat16 [float32]");
  command->add_option("--threads", options->threads, "0: the machine's cores [0]");
  command->add_option("--rounds", options->rounds, "Runs of each backend, the fastest of which counts [7]");
  command->add_flag("--json", options->json, "A line of JSON for each shape");
  return {command, [options] { return run_bench_products(*options); }};
}

}  // namespace phasor::cli
