#include "engine/lower/phases.h"

#include <algorithm>

#include "engine/lower/adafactor.h"
#include "engine/lower/clipping.h"
#include "engine/lower/gradient_sums.h"
#include "engine/lower/lamb.h"
#include "engine/lower/micro_batches.h"
#include "engine/lower/part_ends.h"
#include "engine/lower/tied_gradients.h"
#include "engine/lower/update.h"

namespace phasor {

namespace {

// Shorter runs leave out the groups behind them: of those, whatever stands outside of loops, too.
int served_by(const Task& task) { return task.first == 0 ? -1 : task.first; }

// Writes what one device does of a training step.
class DeviceTraining {
 public:
  explicit DeviceTraining(const LoweringContext& context)
      : context_(context),
        builder_(context.builder),
        tasks_(schedule_tasks(context.execution, context.device)),
        in_groups_(group_of(context.execution) < context.execution.accumulation),
        prepares_(context.resident() && context.parts.size() > 1),
        weights_(context.units.size()) {}

  void run() {
    if (context_.resident()) for_units([&](const LoweredUnit& unit) { load_resident(unit); });
    exchange_tables(context_);
    if (context_.clips()) begin_norm(context_);
    if (prepares_) for_runs(false, [&](const UnitRun& run) { prepare(run.unit); });
    for (const Task& task : tasks_) run_task(task);
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
  struct PreparedWeights {
    GraphWeights forward, gradient;
  };

  const LoweredUnit& unit_of(const UnitRun& run) const { return context_.units[run.unit]; }

  // Calls visit(run) for what the device has of the model, in order or backwards.
  template <class Visit>
  void for_runs(bool backward, Visit visit) const {
    const int parts = static_cast<int>(context_.parts.size());
    for (int k = 0; k < parts; ++k) {
      const Part& part = context_.parts[backward ? parts - 1 - k : k];
      if (part.device != context_.device) continue;
      const int runs = static_cast<int>(part.runs.size());
      for (int r = 0; r < runs; ++r) visit(part.runs[backward ? runs - 1 - r : r]);
    }
  }
  template <class Visit>
  void for_units(Visit visit) const {
    for_runs(false, [&](const UnitRun& run) { visit(unit_of(run)); });
  }
  // Calls phase(unit, instance) from the last instance to the first, `updating` or not.
  template <class Phase>
  void backwards(bool updating, Phase phase) const {
    for_runs(true, [&](const UnitRun& run) { backwards(run, updating, [&](int n) { phase(unit_of(run), n); }); });
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
    const std::vector<UnitRun>& runs = context_.parts[task.part].runs;
    if (task.backward) {
      for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        backwards(*run, !context_.clips() && !in_groups_, [&](int n) { gradient_phase({task.part, *run, task}, n); });
      }
      return;
    }
    for (const UnitRun& run : runs) {
      if (unit_of(run).unit.loss.valid()) continue;  // its forward part runs with its gradient
      for (int n = run.first; n < run.end; ++n) forward_phase({task.part, run, task}, n);
    }
  }

  void forward_phase(const PartPass& pass, int n) {
    const LoweredUnit& unit = unit_of(pass.run);
    const UnitGraph& graph = unit.graphs(n).forward;
    const std::string name = unit.graph_name("forward", n);
    PhaseBuilder phase(context_, unit, "forward", n, Section::step, unit.variant(n));
    phase.connect(forward_ends(context_, pass, unit, n));

    const auto serving = builder_.serving(served_by(pass.task));
    const GraphWeights weights =
        prepares_ ? weights_[pass.run.unit].forward : phase.pack(name, graph, phase.gather(phase.load_weights(graph)));
    const GraphId forward = add_graph(builder_, name, GraphKind::forward, graph);
    builder_.begin_loop();
    for (int m = pass.task.first; m < pass.task.end; ++m) {
      const auto turn = builder_.micro_batch(m);
      call_micro_batch(phase, graph, forward, weights, {}, m);
    }
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
      if (!prepares_) parts = phase.load_weights(graph);
      weights = prepares_ ? weights_[pass.run.unit].gradient : phase.pack(name, graph, phase.gather(parts));
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

  // What a resident part's graphs read: whole, and laid out, once for all micro-batches.
  void prepare(int number) {
    const LoweredUnit& unit = context_.units[number];
    PhaseBuilder phase(context_, unit, "prepare", 0);
    const TrainingGraphs& graphs = unit.graphs(0);
    VariableSlots parts = phase.load_weights(graphs.gradient);
    const VariableSlots of_forward = phase.load_weights(graphs.forward);
    for (std::size_t v = 0; v < parts.size(); ++v) {
      if (!parts[v].valid()) parts[v] = of_forward[v];
    }
    const VariableSlots whole = phase.gather(parts);
    weights_[number] = {.forward = phase.pack(unit.graph_name("forward", 0), graphs.forward, whole, "forward."),
                        .gradient = phase.pack(unit.graph_name("gradient", 0), graphs.gradient, whole)};
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
  std::vector<Task> tasks_;
  bool in_groups_;                        // whether micro-batches come in several
  bool prepares_;                         // whether weights are made ready once for all phases of the step
  std::vector<PreparedWeights> weights_;  // of each unit
  bool has_norm_ = false;
};

}  // namespace

void write_training(const LoweringContext& context) {
  check_adafactor(context);
  DeviceTraining(context).run();
}

}  // namespace phasor
