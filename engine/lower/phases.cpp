#include "engine/lower/phases.h"

#include <algorithm>

#include "engine/lower/adafactor.h"
#include "engine/lower/clipping.h"
#include "engine/lower/forward_phases.h"
#include "engine/lower/gradient_sums.h"
#include "engine/lower/lamb.h"
#include "engine/lower/micro_batches.h"
#include "engine/lower/part_ends.h"
#include "engine/lower/tied_gradients.h"
#include "engine/lower/update.h"

namespace phasor {

namespace {

// Writes what one device does of a training step.
class DeviceTraining {
 public:
  explicit DeviceTraining(const LoweringContext& context)
      : context_(context),
        builder_(context.builder),
        forward_(context),
        in_groups_(group_of(context.execution) < context.execution.accumulation) {}

  void run() {
    if (context_.resident()) for_units([&](const LoweredUnit& unit) { load_resident(unit); });
    exchange_tables(context_);
    if (context_.clips()) begin_norm(context_);
    forward_.prepare();
    for (const Task& task : schedule_tasks(context_.execution, context_.device)) run_task(task);
    if (in_groups_) backwards(!context_.clips(), [&](const LoweredUnit& unit, int n) { reduce_phase(unit, n); });
    if (context_.clips()) pass_norm_on();
    send_tied(context_);
    if (context_.clips()) {
      clip_phase(context_, updates_from(context_.device, context_.device + 1),
                 updates_from(context_.device + 1, context_.devices()));
      backwards(true, [&](const LoweredUnit& unit, int n) { update_phase(context_, unit, n); });
    }
    if (context_.resident()) for_units([&](const LoweredUnit& unit) { store_resident(unit); });
  }

 private:
  const LoweredUnit& unit_of(const UnitRun& run) const { return context_.units[run.unit]; }

  template <class Visit>
  void for_units(Visit visit) const {
    for_runs(context_, [&](const UnitRun& run) { visit(unit_of(run)); });
  }
  // Calls phase(unit, instance) from the last instance to the first, `updating` or not.
  template <class Phase>
  void backwards(bool updating, Phase phase) const {
    for_runs_backwards(context_,
                       [&](const UnitRun& run) { backwards(run, updating, [&](int n) { phase(unit_of(run), n); }); });
  }
  template <class Phase>
  void backwards(const UnitRun& run, bool updating, Phase phase) const {
    if (updating) begin_adapting(context_, unit_of(run));
    for (int n = run.end - 1; n >= run.first; --n) phase(n);
    if (updating) end_adapting(context_, unit_of(run));
  }

  bool updates_from(int first_device, int end_device) const {
    return std::ranges::any_of(context_.parts, [&](const Part& part) {
      return part.device >= first_device && part.device < end_device &&
             std::ranges::any_of(part.runs, [&](const UnitRun& run) { return unit_of(run).updates(); });
    });
  }

  void run_task(const Task& task) {
    if (!task.backward) return forward_.run(task);
    const std::vector<UnitRun>& runs = context_.parts[task.part].runs;
    std::for_each(runs.rbegin(), runs.rend(), [&](const UnitRun& run) {
      backwards(run, !context_.clips() && !in_groups_, [&](int n) { gradient_phase({task.part, run, task}, n); });
    });
  }

  // With clipping, gradients wait in their buffers until the norm is known.
  void gradient_phase(const PartPass& pass, int n) {
    const LoweredUnit& unit = unit_of(pass.run);
    if (!unit.unit.learns) return;
    const UnitGraph& graph = unit.graphs(n).gradient;
    const std::string name = unit.graph_name("gradient", n);
    PhaseBuilder phase(context_, unit, "gradient", n, Section::step, unit.variant(n));
    phase.connect(gradient_ends(context_, pass, unit, n));

    VariableSlots parts;
    GraphWeights weights;
    {
      const auto serving = builder_.serving(served_by(pass.task));
      const PreparedWeights* ready = forward_.prepared(pass.run.unit);
      if (ready == nullptr) parts = phase.load_weights(graph);
      weights = ready != nullptr ? ready->gradient : phase.pack(name, graph, phase.gather(parts));
    }
    const GraphId gradient = add_graph(builder_, name, GraphKind::gradient, graph);
    GradientSums sums(phase, pass.task.first == 0 ? GradientSums::Begin::anew : GradientSums::Begin::going_on);
    builder_.begin_loop();
    for (int m = pass.task.first; m < pass.task.end; ++m) {
      const auto turn = builder_.micro_batch(m);
      call_micro_batch(phase, graph, gradient, weights, sums.begin_micro_batch(), m);
      sums.end_micro_batch();
    }
    if (in_groups_) {
      sums.keep();
    } else {
      use_gradients(phase, graph, parts, join_tied(phase, sums.reduce()));
    }
  }

  // Behind the last group of micro-batches.
  void reduce_phase(const LoweredUnit& unit, int n) {
    if (!unit.unit.learns) return;
    PhaseBuilder phase(context_, unit, "reduce", n);
    GradientSums sums(phase, GradientSums::Begin::going_on);
    const UnitGraph none;
    use_gradients(phase, none, {}, join_tied(phase, sums.reduce()));
  }

  // `parts`: the weights that the phase has loaded for `graph`.
  void use_gradients(PhaseBuilder& phase, const UnitGraph& graph, const VariableSlots& parts,
                     const VariableSlots& gradients) {
    if (!phase.unit().updates()) return;
    if (context_.clips()) {
      receive_norm_once();
      add_square_sums(phase, gradients);
      if (!context_.resident()) phase.store(StateKind::gradient, gradients);
    } else {
      const DeviceState state = state_behind(phase, graph, parts, gradients);
      update(phase, state);
      if (!context_.resident()) phase.store(StateKind::weight, updated_weights(context_, phase.unit(), state));
    }
  }

  void receive_norm_once() {
    if (!has_norm_ && context_.device + 1 < context_.devices()) receive_norm(context_);
    has_norm_ = true;
  }
  void pass_norm_on() {
    if (context_.devices() == 1) return;
    if (!has_norm_ && context_.device + 1 < context_.devices()) {
      builder_.begin_phase("receive norm", 0, 1, Section::step);
      receive_norm_once();
    }
    if (context_.device > 0) send_norm(context_);
  }

  // Before the first step, and when somebody needs the state.
  void load_resident(const LoweredUnit& unit) {
    PhaseBuilder phase(context_, unit, "load", 0, Section::begin);
    for (StateKind kind : kUpdatedStates) phase.load(kind);
  }
  void store_resident(const LoweredUnit& unit) {
    PhaseBuilder phase(context_, unit, "store", 0, Section::end);
    const DeviceState state = resident_state(phase);
    for (StateKind kind : kUpdatedStates) phase.store(kind, slots_of(state, kind));
  }

  static void update_phase(const LoweringContext& context, const LoweredUnit& unit, int n) {
    if (!unit.updates()) return;
    PhaseBuilder phase(context, unit, "update", n);
    update(phase, resident_state(phase));
  }

  const LoweringContext& context_;
  ProgramBuilder& builder_;
  ForwardPhases forward_;
  bool in_groups_;  // whether micro-batches come in several
  bool has_norm_ = false;
};

}  // namespace

void write_training(const LoweringContext& context) {
  check_adafactor(context);
  DeviceTraining(context).run();
}

}  // namespace phasor
