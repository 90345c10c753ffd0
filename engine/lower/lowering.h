// Stages and options -> program, by passes: lowering.cpp lists them in their order.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/lower/units/lowered_unit.h"
#include "engine/program/pipeline.h"

namespace phasor {

// What passes work on, each on what those before it have made.
struct Lowering {
  OptimizerOptions optimizer;
  ExecutionOptions execution;
  Stages stages;
  std::vector<InstanceRange> parts;  // of the model, as devices share it
  std::vector<LoweredUnit> units;
  std::string name;                 // of the program
  const Pipeline* whole = nullptr;  // of which this becomes a narrow one; none: it is whole
  Pipeline pipeline;
};

struct Pass {
  const char* name;
  void (*run)(Lowering& lowering);
};

// What there is of a model: the graphs of the program or, as long as there is none, of the units or of the stages.
struct LoweringSize {
  std::int64_t graphs = 0, nodes = 0, slots = 0, steps = 0;
  friend bool operator==(const LoweringSize&, const LoweringSize&) = default;
};
LoweringSize size_of(const Lowering& lowering);

// What a pass did.
struct PassRecord {
  std::string name;
  LoweringSize before, after;
  double seconds = 0;  // without what it takes to verify the result
};

// Stages into stages: fused, in the precision of compute, every value with a name. Variables keep their order, names
// and shapes.
std::span<const Pass> stage_passes();
// Prepared stages into a program.
std::span<const Pass> training_passes();
std::span<const Pass> inference_passes();

// Runs the passes one behind the other. Graphs and programs are verified after each: InternalError.
std::vector<PassRecord> run_passes(std::span<const Pass> passes, Lowering& lowering);

// The stages behind stage_passes().
Stages prepare_stages(const Stages& stages, Precision precision);

// Of prepared stages. One optimizer step; the programs are named "train". On rows of fewer tokens: a narrow pipeline of
// `whole`.
Pipeline lower_pipeline(const Stages& stages, const OptimizerOptions& optimizer, const ExecutionOptions& execution,
                        const Pipeline* whole = nullptr);
// Where there is one device.
Program lower_training(const Stages& stages, const OptimizerOptions& optimizer, const ExecutionOptions& execution);

// Of prepared stages. A forward pass, whose results go to the host. Programs share the variables' buffers, and those of
// what stages carry from run to run. `execution.accumulation` is the number of micro-batches of a run. On a single
// device only stages that carry something are ever resident: a forward pass alone gains nothing by it.
Pipeline lower_inference_pipeline(const Stages& stages, const ExecutionOptions& execution,
                                  const std::string& name = "infer");
// Where there is one device.
Program lower_inference(const Stages& stages, const ExecutionOptions& execution, const std::string& name = "infer");

}  // namespace phasor
