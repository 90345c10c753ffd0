#include <fmt/format.h>
#include <memory>

#include "engine/program/printer.h"
#include "models/cli/verbs.h"
#include "models/config/load_config.h"
#include "models/plan/chosen_config.h"
#include "models/plan/machine_rates.h"
#include "models/plan/plan_report.h"
#include "models/plan/planned_run.h"
#include "models/report/plan_picture.h"
#include "models/squad/training.h"
#include "models/task_options/task_options.h"

namespace phasor::cli {

namespace {

struct PlanOptions : CommonOptions {
  bool program = false, calibrate = false;
  std::string picture;
};

// What a process takes besides remote and device memory: the program, its libraries, generated code.
constexpr std::int64_t kProcessBytes = std::int64_t{64} << 20;

void run_plan(const PlanOptions& options) {
  run::RunConfig config = run::load_config(options.source, options.overrides);
  task_options::resolve_model(config.data.task, config.model);
  config = run::chosen_config(config, options.quiet);
  const auto [sizes, execution, parameters, program, plan] = run::plan_run(config);

  const Rates rates = run::machine_rates(program, config, execution, options.calibrate);
  run::PlanReport report = run::report_plan(program, plan, simulate(program, rates));
  report.parameters = parameters;
  report.accumulation = sizes.accumulation;
  report.micro_batch_size = config.execution.micro_batch_size;
  report.remote_in_files = config.execution.remote_store == "file";
  report.host_bytes =
      kProcessBytes + execution.replicas * plan.peak_bytes + (report.remote_in_files ? 0 : report.remote_bytes);

  if (options.program) fmt::print("{}\n", to_string(program));
  fmt::print("{}", to_text(report));
  if (!options.picture.empty()) {
    run::write_picture(options.picture,
                       run::picture_of(program, plan, find_occupants(program, plan), execution.device_memory));
  }
  if (options.json) fmt::print("{}\n", to_json(report).dump());
}

}  // namespace

Verb plan_verb(CLI::App& app) {
  const auto options = std::make_shared<PlanOptions>();
  CLI::App* command = app.add_subcommand(
      "plan", "Predict what a training step takes, in memory and in time, without allocating or running it");
  add_common_options(*command, *options);
  command->add_flag("--program", options->program, "Print the program, step by step");
  command->add_option("--picture", options->picture, "An SVG file for what lies where in device memory, and when");
  command->add_flag("--calibrate", options->calibrate, "Measure the machine's rates anew, whatever the cache has");
  return {command, [options] { run_plan(*options); }};
}

}  // namespace phasor::cli
