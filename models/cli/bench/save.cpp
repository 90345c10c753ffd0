#include <fmt/format.h>
#include <memory>

#include "bench/save_bench.h"
#include "models/cli/verbs.h"
#include "models/config/load_config.h"
#include "models/machine/facts.h"

namespace phasor::cli {

namespace {

struct BenchSaveOptions : CommonOptions {
  std::string folder = ".";
  int times = 3;
};

int run_bench_save(const BenchSaveOptions& options) {
  io::TerminalListener listener = options.listener();
  const run::ResolvedRun config =
      resolve(run::load_config(options.source, options.overrides), run::Purpose::infer, listener).run;
  const bench::SaveReport report = bench::bench_save(config, options.folder, options.times);
  const auto gigabytes = static_cast<double>(report.bytes) / 1e9;
  fmt::print("{:<24} {:>10.3f}  GB\n", "checkpoint", gigabytes);
  fmt::print("{:<24} {:>10.3f}  seconds, {:.3f} GB/s\n", "saved in", report.seconds, gigabytes / report.seconds);
  fmt::print("{:<24} {:>10.3f}  seconds, {:.3f} GB/s\n", "written plainly in", report.plain_seconds,
             gigabytes / report.plain_seconds);
  fmt::print("{:<24} {:>10.3f}\n", "times that rate", report.times_plain_rate());
  fmt::print("{:<24} {:>10.3f}  seconds\n", "read and compared in", report.verify_seconds);
  fmt::print("{:<24} {:>10.3f}  seconds\n", "fingerprint made in", report.fingerprint_seconds);
  if (!options.json) return 0;
  fmt::print("{}\n", nlohmann::ordered_json{{"bytes", report.bytes},
                                            {"seconds", report.seconds},
                                            {"plain_seconds", report.plain_seconds},
                                            {"times_plain_rate", report.times_plain_rate()},
                                            {"verify_seconds", report.verify_seconds},
                                            {"fingerprint_seconds", report.fingerprint_seconds},
                                            {"machine", run::machine_facts(1)},
                                            {"versions", run::version_facts()}}
                         .dump());
  return 0;
}

}  // namespace

Verb bench_save_verb(CLI::App& bench) {
  const auto options = std::make_shared<BenchSaveOptions>();
  CLI::App* command = bench.add_subcommand("save", "Write a checkpoint: its rate, and that of plain writes");
  add_common_options(*command, *options);
  command->add_option("--folder", options->folder, "Where to write; the files are removed [.]");
  command->add_option("--times", options->times, "Saves to measure [3]");
  return {command, [options] { return run_bench_save(*options); }};
}

}  // namespace phasor::cli
