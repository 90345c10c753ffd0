#include "engine/lower/phases.h"

#include <algorithm>

#include "engine/lower/clipping.h"
#include "engine/lower/gradient_sums.h"
#include "engine/lower/lamb.h"
#include "engine/lower/micro_batches.h"
#include "engine/lower/schedule.h"
#include "engine/lower/tied_gradients.h"
#include "engine/lower/update.h"

namespace phasor {

namespace {

std::string graph_name(const LoweredUnit& unit, const char* kind, int n) {
  return fmt::format("{}.{}{}", unit.unit.name, kind, unit.variant(n));
}

// What a part's micro-batches pass through: phases of its units, for some of the micro-batches.
struct PartPass {
  int part = 0;
  UnitRun run;
  Task task;
};

bool is_front(const LoweringContext& context, const PartPass& pass) {
  return pass.run.unit == context.parts[pass.part].runs.front().unit;
}
bool is_back(const LoweringContext& context, const PartPass& pass) {
  return pass.run.unit == context.parts[pass.part].runs.back().unit;
}
bool has_port(const std::vector<Port>& ports, Role role) { return std::ranges::count(ports, role, &Port::role) > 0; }

// Of the activation behind part `part`, or of its gradient.
PhaseEnd end_behind(const LoweringContext& context, int part, bool backward, bool is_stored) {
  const int from = context.parts[part].device, to = context.parts[part + 1].device;
  const int group = group_of(context.execution);
  const bool alone = group == context.execution.accumulation;
  return {.link = {.name = fmt::format("{}{}", backward ? "dx" : "x", part),
                   .from = backward ? to : from,
                   .to = backward ? from : to,
                   .bytes = 0,
                   .capacity = alone ? 2 : 2 * group},
          .is_stored = is_stored};
}

// Of all instances of a sliced unit, which are in one part, each reads x and dy and the last that runs has y or dx.
PhaseEnds forward_ends(const LoweringContext& context, const PartPass& pass, const LoweredUnit& unit, int n) {
  const std::vector<Port>& later = unit.graphs(n).gradient.inputs;
  PhaseEnds ends;
  ends.shares_y = unit.unit.sliced && pass.part + 1 < std::ssize(context.parts) && is_back(context, pass);
  if (pass.part > 0 && is_front(context, pass) && n == pass.run.first) {
    ends.x = end_behind(context, pass.part - 1, false, unit.unit.sliced || has_port(later, Role::x));
  }
  if (pass.part + 1 < std::ssize(context.parts) && is_back(context, pass) && n == pass.run.end - 1) {
    ends.y = end_behind(context, pass.part, false, has_port(later, Role::y));
  }
  return ends;
}
PhaseEnds gradient_ends(const LoweringContext& context, const PartPass& pass, const LoweredUnit& unit, int n) {
  const bool runs_first = n == pass.run.end - 1, is_read_again = unit.unit.sliced && pass.run.first < n;
  PhaseEnds ends;
  ends.shares_dx = unit.unit.sliced && pass.part > 0 && is_front(context, pass);
  if (pass.part > 0 && is_front(context, pass)) {
    if (unit.unit.loss.valid() && runs_first) ends.x = end_behind(context, pass.part - 1, false, is_read_again);
    if (n == pass.run.first) ends.dx = end_behind(context, pass.part - 1, true, false);
  }
  if (pass.part + 1 < std::ssize(context.parts) && is_back(context, pass) && runs_first) {
    ends.dy = end_behind(context, pass.part, true, is_read_again);
  }
  return ends;
}

// Shorter runs leave out the groups behind them: of those, whatever stands outside of loops, too.
int served_by(const Task& task) { return task.first == 0 ? -1 : task.first; }

// Where the weights lie that an update has changed.
VariableSlots updated_weights(const LoweringContext& context, const LoweredUnit& unit, const DeviceState& state) {
  VariableSlots weights = slots_of(state, StateKind::weight);
  if (!adapts_over_phases(context, unit)) return weights;
  for (int v = 0; v < unit.count(); ++v) {
    if (adapts(context, unit.variables[v])) weights[v] = {};
  }
  return weights;
}

// Around the phases that update a unit's instances, of one that adapts over them: its sums, its ratios, its weights.
void begin_adapting(const LoweringContext& context, const LoweredUnit& unit) {
  if (!adapts_over_phases(context, unit)) return;
  PhaseBuilder phase(context, unit, "sums", 0);
  lamb_begin(phase);
}
void end_adapting(const LoweringContext& context, const LoweredUnit& unit) {
  if (!adapts_over_phases(context, unit)) return;
  {
    PhaseBuilder phase(context, unit, "ratios", 0);
    lamb_ratios(phase);
  }
  for (int n = 0; n < unit.unit.instances; ++n) {
    PhaseBuilder phase(context, unit, "weights", n);
    lamb_weights(phase, resident_state(phase), false);
  }
}

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
        backwards(*run, !context_.clips() && !in_groups_,
                  [&](int n) { gradient_phase({task.part, *run, task}, n); });
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
    const std::string name = graph_name(unit, "forward", n);
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
    const std::string name = graph_name(unit, "gradient", n);
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
    weights_[number] = {.forward = phase.pack(graph_name(unit, "forward", 0), graphs.forward, whole, "forward."),
                        .gradient = phase.pack(graph_name(unit, "gradient", 0), graphs.gradient, whole)};
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

// A unit's phase of an inference program.
void inference_phase(const LoweringContext& context, const LoweredUnit& unit, int n) {
  const UnitGraph& graph = unit.graphs(n).forward;
  const std::string name = graph_name(unit, "forward", n);
  PhaseBuilder phase(context, unit, "forward", n, Section::step, unit.variant(n));
  const GraphWeights weights = phase.pack(name, graph, phase.gather(phase.load_weights(graph)));
  const GraphId forward = add_graph(context.builder, name, GraphKind::forward, graph);
  context.builder.begin_loop();
  for (int m = 0; m < context.execution.accumulation; ++m) {
    const auto turn = context.builder.micro_batch(m);
    call_micro_batch(phase, graph, forward, weights, {}, m);
  }
}

// Calls use(number, m) for what the unit carries, in every micro-batch.
template <class Use>
void for_carried(const LoweringContext& context, const LoweredUnit& unit, Use use) {
  for (int c = 0; c < static_cast<int>(unit.unit.carried.size()); ++c)
    for (int m = 0; m < context.execution.accumulation; ++m) use(c, m);
}

// Before the first run of what is carried on, and behind the last: the weights that are computed with, and the state.
void load_model(const LoweringContext& context, const LoweredUnit& unit) {
  PhaseBuilder phase(context, unit, "load", 0, Section::begin);
  for (int v : unit.keeping.forward.weights()) {
    const StateKind kind = unit.variables[v].placement.computed_state();
    if (!unit.variables[v].tied) context.builder.load(phase.state_row(kind, v), phase.state_slot(kind, v));
  }
  for_carried(context, unit,
              [&](int c, int m) { context.builder.load(phase.carried_row(c, m), phase.carried_slot(c, m)); });
}
void store_carried(const LoweringContext& context, const LoweredUnit& unit) {
  PhaseBuilder phase(context, unit, "store", 0, Section::end);
  for_carried(context, unit,
              [&](int c, int m) { context.builder.store(phase.carried_slot(c, m), phase.carried_row(c, m)); });
}

}  // namespace

void write_training(const LoweringContext& context) { DeviceTraining(context).run(); }

void write_inference(const LoweringContext& context) {
  if (context.resident()) load_model(context, context.units.front());
  for (const LoweredUnit& unit : context.units) {
    for (int n = 0; n < unit.unit.instances; ++n) inference_phase(context, unit, n);
  }
  if (context.resident()) store_carried(context, context.units.front());
}

}  // namespace phasor
