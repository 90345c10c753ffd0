#include "models/verify/values/step_value_bytes.h"

#include <map>

#include "models/plan/planned_run.h"
#include "models/verify/values/step_values.h"

namespace phasor::run {

namespace {

// Tensors that are described, but not there.
std::vector<TensorView> described(const Graph& graph, std::span<const Value> values) {
  std::vector<TensorView> views;
  for (const Value value : values) views.push_back({.spec = graph.spec(value), .data = nullptr});
  return views;
}

void observe(const NamedGraph& named, ValueObserver& observer) {
  observer.begin(named.graph, described(named.graph, named.graph.inputs));
  for (const Node& node : named.graph.nodes) observer.made(named.graph, node, described(named.graph, node.outputs));
}

// One that comes again is the same, and is kept once.
void observe(const Program& program, const Phase& phase, ValueObserver& observer) {
  for (int i = phase.first_step; i < phase.end_step; ++i) {
    const Step step = program.steps[static_cast<std::size_t>(i)];
    if (step.kind != StepKind::call) continue;
    const NamedGraph& graph = program.graphs[program.calls[step.call].graph];
    observer.call({.program = program,
                   .phase = phase,
                   .graph = graph,
                   .micro_batch = step.micro_batch,
                   .micro_batches = program.micro_batches});
    observe(graph, observer);
  }
}

}  // namespace

std::int64_t step_value_bytes(const ResolvedRun& run) {
  const Stages stages = stages_of(run);
  std::map<ValueKey, std::int64_t> bytes;
  ValueObserver observer(stages, [&](const ObservedValue& value) {
    if (is_kept(value.tensor.spec.dtype)) {
      bytes[{value.name, value.micro_batch}] = value.tensor.spec.elements() * static_cast<std::int64_t>(sizeof(float));
    }
  });
  for (const Program& program : pipeline_of(run, stages).devices) {
    for (const Phase& phase : program.phases) {
      if (phase.section == Section::step) observe(program, phase, observer);
    }
  }
  std::int64_t all = 0;
  for (const auto& [key, one] : bytes) all += one;
  return all * run.execution.replicas;
}

}  // namespace phasor::run
