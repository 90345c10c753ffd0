#include <fmt/format.h>
#include <memory>

#include "engine/lower/parts.h"
#include "engine/lower/schedule.h"
#include "engine/program/printer.h"
#include "models/cli/verbs.h"
#include "models/config/load_config.h"
#include "models/machine/rates.h"
#include "models/machine/rates_file.h"
#include "models/plan/pass_report.h"
#include "models/plan/plan_report.h"
#include "models/plan/planned_run.h"
#include "models/plan/resolve_run.h"
#include "models/report/pipeline_picture.h"
#include "models/report/plan_picture.h"
#include "models/run/fitted_passes.h"

namespace phasor::cli {

namespace {

struct PlanOptions : CommonOptions {
  bool program = false, passes = false, calibrate = false;
  std::string picture, machine;
};

int run_plan(PlanOptions& options) {
  io::TerminalListener listener = options.listener();
  apply_ipu_config(options, listener);
  const run::Resolution resolution =
      resolve(run::load_config(options.source, options.overrides), run::Purpose::show, listener);
  const run::ResolvedRun& run = resolution.run;
  const run::PlannedRun planned = run::plan_run(run);
  const Pipeline& pipeline = planned.pipeline;

  const Rates rates = options.machine.empty() ? run::machine_rates(pipeline, run, options.calibrate)
                                              : run::read_machine(options.machine);
  const PipelineSimulation simulation = simulate(pipeline, rates);
  run::PlanReport report = run::report_plan(pipeline, planned.plans, simulation);
  report.parameters = planned.parameters;
  const int group = group_of(run.execution);
  report.pipeline.groups = (run.execution.accumulation + group - 1) / group;
  report.pipeline.parts = count_parts(run.execution.pipeline) / run.execution.pipeline.devices;
  report.accumulation = run.execution.accumulation;
  report.micro_batch_size = run.micro_batch_size;
  report.use = resolution.use;
  report.budgets = resolution.budgets;
  report.eval = run::report_eval(run);

  const std::vector<PassRecord> passes = options.passes ? run::run_all_passes(run) : std::vector<PassRecord>{};
  if (options.passes) fmt::print("{}\n", run::to_text(passes));
  if (options.program) {
    for (const Program& program : pipeline.devices) {
      if (pipeline.size() > 1) fmt::print("device {}\n", program.device);
      fmt::print("{}\n", to_string(program));
    }
  }
  fmt::print("{}", to_text(report));
  if (!options.picture.empty() && pipeline.size() > 1) {
    run::write_pipeline_picture(options.picture, pipeline, planned.plans, simulation, run.execution.device_memory);
  } else if (!options.picture.empty()) {
    const Program& program = planned.program(planned.fullest());
    const ProgramPlan& plan = planned.plan(planned.fullest());
    run::write_picture(options.picture,
                       run::picture_of(program, plan, find_occupants(program, plan), run.execution.device_memory));
  }
  if (!resolution.refusal.empty()) fmt::print("\n{}\n", resolution.refusal);
  if (!options.json) return 0;
  auto json = to_json(report);
  if (options.passes) json["passes"] = run::to_json(passes);
  fmt::print("{}\n", json.dump());
  return 0;
}

}  // namespace

Verb plan_verb(CLI::App& app) {
  const auto options = std::make_shared<PlanOptions>();
  CLI::App* command = app.add_subcommand(
      "plan", "Predict what a training step takes, in memory and in time, without allocating or running it");
  add_common_options(*command, *options);
  add_ipu_config(*command, *options);
  command->add_flag("--program", options->program, "Print the program, step by step");
  command->add_flag("--passes", options->passes, "Print what each pass from the model to the program made of it");
  command->add_option("--picture", options->picture,
                      "An SVG file for what lies where in device memory, and when; of several devices, what each does");
  command->add_option("--machine", options->machine, "A file with the rates of another machine to reckon with");
  command->add_flag("--calibrate", options->calibrate, "Measure the machine's rates anew, whatever the cache has");
  return {command, [options] { return run_plan(*options); }};
}

}  // namespace phasor::cli
