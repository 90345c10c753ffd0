#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/plan/cost.h"
#include "engine/program/printer.h"
#include "engine/program/program_plan.h"
#include "engine/train/device_budget.h"
#include "engine/train/lowering.h"
#include "engine/train/prepare.h"
#include "models/bert/stages.h"
#include "models/cli/config_file.h"
#include "models/cli/verbs.h"
#include "models/tasks/squad_training.h"

namespace phasor::cli {

namespace {

double mebibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

// What one replica does in a step.
struct StepTotals {
  Cost compute;
  std::int64_t loaded_bytes = 0, stored_bytes = 0;
};

StepTotals step_totals(const Program& program) {
  StepTotals totals;
  std::vector<Cost> costs;
  for (const NamedGraph& graph : program.graphs) costs.push_back(cost_of(graph.graph));
  for (const Phase& phase : program.phases) {
    if (phase.section != Section::step) continue;
    for (int i = phase.first_step; i < phase.end_step; ++i) {
      const Step& step = program.steps[i];
      if (step.kind == StepKind::call) totals.compute += costs[program.calls[step.call].graph];
      if (step.kind == StepKind::load) totals.loaded_bytes += program.slots[step.slot].bytes;
      if (step.kind == StepKind::store) totals.stored_bytes += program.slots[step.slot].bytes;
    }
  }
  return totals;
}

void run_plan(const CommonOptions& options) {
  tasks::RunConfig config = load_config(options.source, options.overrides);
  tasks::resolve_vocab_size(config);
  const tasks::RunSizes sizes = tasks::validate(config);
  const OptimizerOptions optimizer = tasks::optimizer_options(config);
  const Stages stages = prepare_stages(
      bert::training_stages(config.model, config.execution.micro_batch_size, sizes.embedding_slices), config.precision);
  const ExecutionOptions execution = choose_recompute(stages, optimizer, tasks::execution_options(config, sizes));
  const Program program = lower_training(stages, optimizer, execution);
  const ProgramPlan plan = plan_program(program, sizes.threads_per_replica);
  check_budget(plan, execution);
  const StepTotals totals = step_totals(program);
  std::int64_t remote_bytes = 0;
  for (const Buffer& buffer : program.buffers) remote_bytes += buffer.spec.bytes(execution.replicas);

  if (!options.quiet) fmt::print("{}\n", to_string(program));
  fmt::print("parameters             {:>12}\n", count_parameters(stages));
  fmt::print("micro-batches          {:>12}  of {} samples, on each of {} replicas\n", sizes.accumulation,
             config.execution.micro_batch_size, execution.replicas);
  fmt::print("device memory, peak    {:>12.1f}  MiB a replica (no placement needs less than {:.1f})\n",
             mebibytes(plan.peak_bytes), mebibytes(plan.lower_bound_bytes));
  fmt::print("remote memory          {:>12.1f}  MiB\n", mebibytes(remote_bytes));
  fmt::print("loaded, stored         {:>12.1f}, {:.1f} MiB a replica and step\n", mebibytes(totals.loaded_bytes),
             mebibytes(totals.stored_bytes));
  fmt::print("matrix products        {:>12.1f}  GFLOP a replica and step\n", totals.compute.flops / 1e9);
  if (options.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"device_peak_bytes", plan.peak_bytes},
                                              {"device_lower_bound_bytes", plan.lower_bound_bytes},
                                              {"remote_bytes", remote_bytes},
                                              {"loaded_bytes", totals.loaded_bytes},
                                              {"stored_bytes", totals.stored_bytes},
                                              {"flops", totals.compute.flops}}
                           .dump());
  }
}

}  // namespace

Verb plan_verb(CLI::App& app) {
  const auto options = std::make_shared<CommonOptions>();
  CLI::App* command =
      app.add_subcommand("plan", "Print the program of a training step and the memory it takes; allocates none of it");
  add_common_options(*command, *options);
  return {command, [options] { run_plan(*options); }};
}

}  // namespace phasor::cli
