#include "engine/lower/lowering.h"

#include <algorithm>
#include <memory>

#include "engine/lower/unit_lowering.h"
#include "engine/program/check/checker.h"
#include "engine/program/overlap/overlap.h"

namespace phasor {

namespace {

// What the instances of a unit run: those from `first_keeping` on keep their activations, the others make them again.
struct UnitPhases {
  TrainingGraphs recomputing, keeping;
  int first_keeping = 0;

  const TrainingGraphs& graphs(int n) const { return n < first_keeping ? recomputing : keeping; }
  // Behind the names of what both have, where there are both.
  const char* variant(int n) const { return first_keeping > 0 && n >= first_keeping ? ".keeping" : ""; }
};

class Lowering {
 public:
  Lowering(const std::string& name, const Stages& stages, const OptimizerOptions& optimizer,
           const ExecutionOptions& execution)
      : builder_(name, execution.replicas, execution.accumulation),
        optimizer_(optimizer),
        execution_(execution),
        buffers_{.program = name, .accumulation = execution.accumulation},
        resident_(execution.mode == Mode::monolithic),
        stage_instances_(count_instances(stages)) {
    if (resident_) {
      units_.push_back(model_unit(stages));
    } else {
      units_ = stage_units(stages);
    }
    for (const Unit& unit : units_) {
      lowerings_.push_back(
          std::make_unique<UnitLowering>(builder_, stages, unit, optimizer_, execution_, buffers_, resident_));
    }
  }

  Program training() {
    std::vector<UnitPhases> phases;
    for (const Unit& unit : units_) phases.push_back(phases_of(unit));
    const int last = static_cast<int>(units_.size()) - 1;
    ensure(units_[last].loss.valid(), "lowering: the last stage '{}' has no loss", units_[last].name);

    begin_resident();
    if (clips()) begin_norm();
    for (int u = 0; u < last; ++u) {
      for (int n = 0; n < units_[u].instances; ++n) forward_phase(u, n, phases[u]);
    }
    for (int u = last; u >= 0; --u) {
      for (int n = units_[u].instances - 1; n >= 0; --n) gradient_phase(u, n, phases[u]);
    }
    if (clips()) {
      clip_phase();
      for (int u = last; u >= 0; --u) {
        for (int n = units_[u].instances - 1; n >= 0; --n) update_phase(u, n);
      }
    }
    end_resident();
    return finished();
  }

  Program inference() {
    for (int u = 0; u < static_cast<int>(units_.size()); ++u) {
      const UnitPhases phases{.keeping = {.forward = pack_weights(inference_graph(units_[u]))}};
      for (int n = 0; n < units_[u].instances; ++n) forward_phase(u, n, phases);
    }
    return finished();
  }

 private:
  bool clips() const { return optimizer_.max_grad_norm > 0; }

  UnitPhases phases_of(const Unit& unit) const {
    // Counted over all stages, as the unit's instances are from its first.
    const int first_kept = execution_.recompute == Recompute::none ? 0 : stage_instances_ - 1 - execution_.kept_stages;
    if (resident_) return {.keeping = packed(training_graphs(unit, execution_.recompute, first_kept))};
    UnitPhases phases{.first_keeping = std::clamp(first_kept - unit.first_instance, 0, unit.instances)};
    if (phases.first_keeping > 0) phases.recomputing = packed(training_graphs(unit, Recompute::layer));
    if (phases.first_keeping < unit.instances) phases.keeping = packed(training_graphs(unit, Recompute::none));
    return phases;
  }

  static TrainingGraphs packed(TrainingGraphs graphs) {
    graphs.forward = pack_weights(graphs.forward);
    graphs.gradient = pack_weights(graphs.gradient);
    return graphs;
  }

  void forward_phase(int u, int n, const UnitPhases& phases) {
    compute_phase("forward", u, n, phases.graphs(n).forward, phases);
  }

  void gradient_phase(int u, int n, const UnitPhases& phases) {
    const TrainingGraphs& graphs = phases.graphs(n);
    compute_phase("gradient", u, n, graphs.gradient, phases);
    UnitLowering& unit = *lowerings_[u];
    unit.reduce_gradients();
    if (clips()) {
      unit.add_square_sums();
      unit.store_gradients(n);
    } else {
      unit.update(&graphs.gradient, n);
    }
  }

  // A phase up to the end of its micro-batches.
  void compute_phase(const std::string& kind, int u, int n, const UnitGraph& graph, const UnitPhases& phases) {
    UnitLowering& unit = *lowerings_[u];
    const std::string name = fmt::format("{}.{}{}", units_[u].name, kind, phases.variant(n));
    unit.begin_phase(kind, n, Section::step, phases.variant(n));
    unit.load_weights_for(graph, n);
    unit.gather_weights_for(graph);
    unit.pack_weights_for(name, graph);
    unit.run_micro_batches(name, graph, phases.graphs(n).kept, phases.first_keeping, n);
  }

  void begin_norm() {
    builder_.begin_phase("norm", 0, 1, Section::step);
    for (const bool sharded : {true, false}) builder_.zero(square_sum_slot(builder_, sharded));
  }

  // The clip factor of the whole model's gradient.
  void clip_phase() {
    builder_.begin_phase("clip", 0, 1, Section::step);
    const int own = square_sum_slot(builder_, true), whole = square_sum_slot(builder_, false);
    const int sharded = execution_.replicas > 1 ? gathered_square_sums_slot(builder_, execution_.replicas) : own;
    if (sharded != own) builder_.gather(own, sharded);
    const int buffer = builder_.buffer(buffers_.adam_step(), Origin::host);
    const int step = builder_.slot(
        {.name = "adam_step", .phase = "clip", .content = Content::batch, .bytes = builder_.bytes_of_row(buffer)});
    builder_.load(buffer, 0, step);
    builder_.call(builder_.graph("clip", GraphKind::clip, clip_graph(optimizer_, execution_.replicas)),
                  {sharded, whole, step, clip_slot(builder_)});
  }

  void update_phase(int u, int n) {
    UnitLowering& unit = *lowerings_[u];
    unit.begin_phase("update", n);
    unit.update(nullptr, n);
  }

  void begin_resident() {
    if (!resident_) return;
    lowerings_[0]->begin_phase("load", 0, Section::begin);
    lowerings_[0]->load_resident();
  }

  void end_resident() {
    if (!resident_) return;
    lowerings_[0]->begin_phase("store", 0, Section::end);
    lowerings_[0]->store_resident();
  }

  Program finished() {
    Program program = builder_.finish();
    check_program(program);
    const int phases = execution_.prefetch_depth, calls = execution_.loop_overlap;
    if (phases == 0 && calls == 0) return program;
    program = overlap(std::move(program), {phases, calls});
    check_program(program);
    return program;
  }

  ProgramBuilder builder_;
  OptimizerOptions optimizer_;
  ExecutionOptions execution_;
  HostBuffers buffers_;
  bool resident_;
  int stage_instances_;
  std::vector<Unit> units_;
  std::vector<std::unique_ptr<UnitLowering>> lowerings_;
};

}  // namespace

Program lower_training(const Stages& stages, const OptimizerOptions& optimizer, const ExecutionOptions& execution) {
  return Lowering("train", stages, optimizer, execution).training();
}

Program lower_inference(const Stages& stages, const ExecutionOptions& execution) {
  ExecutionOptions phased = execution;
  phased.mode = Mode::phased;  // a forward pass alone gains nothing from residence
  return Lowering("infer", stages, {}, phased).inference();
}

}  // namespace phasor
