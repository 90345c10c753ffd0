#include "engine/lower/lowering.h"

#include <chrono>

#include "engine/ir/verifier.h"
#include "engine/lower/phases.h"
#include "engine/program/check/checker.h"
#include "engine/program/mapping/map_rows.h"
#include "engine/program/overlap/overlap.h"
#include "engine/transform/fuse.h"
#include "engine/transform/lower_precision.h"
#include "engine/transform/name_values.h"

namespace phasor {

namespace {

void fuse_ops(Lowering& lowering) {
  for (Stage& stage : lowering.stages) stage = fuse(stage);
}

void lower_to_bfloat16(Lowering& lowering) {
  if (lowering.execution.precision != Precision::bfloat16) return;
  DType y = DType::bf16;
  for (auto stage = lowering.stages.rbegin(); stage != lowering.stages.rend(); ++stage) {
    *stage = lower_precision(*stage, y);
    if (stage->x.valid()) y = stage->graph.spec(stage->x).dtype;
  }
}

void name_values(Lowering& lowering) {
  for (Stage& stage : lowering.stages) phasor::name_values(stage);
}

void make_units(Lowering& lowering) {
  lowering.parts = split_model(lowering.stages, lowering.execution);
  lowering.units = place_units(lowering.stages, lowering.parts, lowering.optimizer, lowering.execution);
}

void differentiate_units(Lowering& lowering) {
  const Unit& last = lowering.units.back().unit;
  ensure(last.loss.valid(), "lowering: the last stage '{}' has no loss", last.name);
  // Counted over all stage instances, of which the last keeps everything.
  const ExecutionOptions& execution = lowering.execution;
  const int first_kept =
      execution.recompute == Recompute::none ? 0 : count_instances(lowering.stages) - 1 - execution.kept_stages;
  for (LoweredUnit& unit : lowering.units) differentiate(unit, execution, first_kept);
}

void take_forward_graphs(Lowering& lowering) {
  for (LoweredUnit& unit : lowering.units) unit.keeping.forward = inference_graph(unit.unit);
}

void choose_products(Lowering& lowering) {
  for (LoweredUnit& unit : lowering.units) choose_products(unit, lowering.execution.products);
}

void pack_products(Lowering& lowering) {
  for (LoweredUnit& unit : lowering.units) pack_weights(unit, lowering.execution.pack_weights);
}

// What one stage makes and the next one reads, and nobody again.
Boundaries in_turns(const Lowering& lowering) {
  const Boundaries boundaries = place_boundaries(lowering.stages);
  return lowering.execution.pipeline.devices == 1 ? take_turns(boundaries) : boundaries;
}

// `activations`: where they lie. Their gradients are read once each.
void write_phases(Lowering& lowering, const Boundaries& activations, void (*write)(const LoweringContext&)) {
  const ExecutionOptions& execution = lowering.execution;
  const std::vector<Part> parts = place_parts(lowering.units, lowering.parts, execution);
  for (int device = 0; device < execution.pipeline.devices; ++device) {
    ProgramBuilder builder(lowering.name, execution.replicas, execution.accumulation, device);
    write({.builder = builder,
           .optimizer = lowering.optimizer,
           .execution = execution,
           .buffers = {.program = lowering.name,
                       .accumulation = execution.accumulation,
                       .iterations = execution.device_iterations},
           .stage_instances = count_instances(lowering.stages),
           .boundaries = activations,
           .gradient_boundaries = in_turns(lowering),
           .units = lowering.units,
           .parts = parts,
           .device = device});
    lowering.pipeline.devices.push_back(builder.finish());
  }
}
void write_training_phases(Lowering& lowering) {
  lowering.name = "train";
  write_phases(lowering, place_boundaries(lowering.stages), write_training);
}
void write_inference_phases(Lowering& lowering) { write_phases(lowering, in_turns(lowering), write_inference); }

void overlap_transfers(Lowering& lowering) {
  const ExecutionOptions& execution = lowering.execution;
  if (lowering.whole == nullptr && execution.zero_copy) map_rows(lowering.pipeline);
  for (std::size_t device = 0; device < lowering.pipeline.devices.size(); ++device) {
    Program& program = lowering.pipeline.devices[device];
    if (lowering.whole != nullptr) map_as(lowering.whole->devices[device], program);
    program = overlap(std::move(program), {execution.prefetch_depth, execution.loop_overlap});
  }
}

// Stages.
constexpr Pass kStagePasses[] = {
    {"fuse ops", fuse_ops},
    {"lower precision", lower_to_bfloat16},
    {"name values", name_values},
};

// Stages, units, their graphs, phases.
constexpr Pass kTrainingPasses[] = {
    {"make units", make_units},                // one a stage or, where everything is resident, of the whole model
    {"differentiate", differentiate_units},    // gradients, recomputation, accumulation; what runs apart is cut apart
    {"choose products", choose_products},      // by whose arithmetic, where the options say so
    {"pack weights", pack_products},           //
    {"write phases", write_training_phases},   // transfers are done where they stand
    {"overlap transfers", overlap_transfers},  // and now beside compute, or not at all
};
constexpr Pass kInferencePasses[] = {
    {"make units", make_units},
    {"take forward graphs", take_forward_graphs},
    {"choose products", choose_products},
    {"pack weights", pack_products},
    {"write phases", write_inference_phases},
    {"overlap transfers", overlap_transfers},
};

template <class Visit>
void for_each_graph(const Lowering& lowering, Visit visit) {
  if (!lowering.pipeline.devices.empty()) {
    for (const Program& program : lowering.pipeline.devices) {
      for (const NamedGraph& named : program.graphs) visit(named.graph);
    }
  } else if (!lowering.units.empty()) {
    for (const LoweredUnit& unit : lowering.units) for_each_graph(unit, visit);
  } else {
    for (const Stage& stage : lowering.stages) visit(stage.graph);
  }
}

void verify(const Lowering& lowering) {
  for_each_graph(lowering, [](const Graph& graph) { verify(graph); });
  if (lowering.pipeline.devices.empty()) return;
  for (const Program& program : lowering.pipeline.devices) check_program(program);
  check_pipeline(lowering.pipeline);
}

Pipeline lowered(std::span<const Pass> passes, Lowering lowering) {
  run_passes(passes, lowering);
  return std::move(lowering.pipeline);
}

}  // namespace

LoweringSize size_of(const Lowering& lowering) {
  LoweringSize size;
  for_each_graph(lowering, [&](const Graph& graph) {
    ++size.graphs;
    size.nodes += std::ssize(graph.nodes);
  });
  for (const Program& program : lowering.pipeline.devices) {
    size.slots += std::ssize(program.slots);
    size.steps += std::ssize(program.steps);
  }
  return size;
}

std::span<const Pass> stage_passes() { return kStagePasses; }
std::span<const Pass> training_passes() { return kTrainingPasses; }
std::span<const Pass> inference_passes() { return kInferencePasses; }

std::vector<PassRecord> run_passes(std::span<const Pass> passes, Lowering& lowering) {
  using Clock = std::chrono::steady_clock;
  std::vector<PassRecord> records;
  for (const Pass& pass : passes) {
    const LoweringSize before = size_of(lowering);
    const Clock::time_point start = Clock::now();
    pass.run(lowering);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    verify(lowering);
    records.push_back({.name = pass.name, .before = before, .after = size_of(lowering), .seconds = seconds});
  }
  return records;
}

Stages prepare_stages(const Stages& stages, Precision precision) {
  Lowering lowering{.execution = {.precision = precision}, .stages = stages};
  run_passes(stage_passes(), lowering);
  return std::move(lowering.stages);
}

Pipeline lower_pipeline(const Stages& stages, const OptimizerOptions& optimizer, const ExecutionOptions& execution,
                        const Pipeline* whole) {
  return lowered(training_passes(), {.optimizer = optimizer, .execution = execution, .stages = stages, .whole = whole});
}

Program lower_training(const Stages& stages, const OptimizerOptions& optimizer, const ExecutionOptions& execution) {
  ensure(execution.pipeline.devices == 1, "lowering: one program for {} devices", execution.pipeline.devices);
  return std::move(lower_pipeline(stages, optimizer, execution).devices.front());
}

Pipeline lower_inference_pipeline(const Stages& stages, const ExecutionOptions& execution, const std::string& name) {
  Lowering lowering{.execution = execution, .stages = stages, .name = name};
  lowering.execution.device_iterations = 1;
  lowering.execution.reproducible = false;  // nothing is summed over micro-batches
  const bool carries = std::ranges::any_of(stages, [](const Stage& stage) { return !stage.carried.empty(); });
  if (!carries && execution.pipeline.devices == 1) lowering.execution.mode = Mode::phased;
  return lowered(inference_passes(), std::move(lowering));
}

Program lower_inference(const Stages& stages, const ExecutionOptions& execution, const std::string& name) {
  ensure(execution.pipeline.devices == 1, "lowering: one program for {} devices", execution.pipeline.devices);
  return std::move(lower_inference_pipeline(stages, execution, name).devices.front());
}

}  // namespace phasor
