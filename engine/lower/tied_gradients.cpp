#include "engine/lower/tied_gradients.h"

#include <algorithm>
#include <tuple>

#include "engine/ir/builder.h"
#include "engine/lower/update.h"

namespace phasor {

namespace {

Graph sum_graph(std::int64_t elements) {
  const TensorSpec spec{DType::f32, {elements}};
  Graph graph;
  Builder b(graph);
  const Value sum = graph.add_input(spec, "sum"), gradient = graph.add_input(spec, "gradient");
  graph.outputs = {b.add(sum, gradient)};
  return graph;
}

// sum += gradient, on `elements` elements of sum from `first` on.
void add(ProgramBuilder& builder, SlotId sum, std::int64_t first, SlotId gradient, std::int64_t elements) {
  const std::string name = fmt::format("add{}", elements);
  GraphId graph = builder.find_graph(name);
  if (!graph.valid()) graph = builder.graph(name, GraphKind::update, sum_graph(elements));
  const std::int64_t offset = first * size_of(DType::f32);
  builder.call(graph, {sum, gradient, sum}, {offset, 0, offset});
}

// A slice of a gradient in flight, which takes little room.
struct Slice {
  std::int64_t first = 0, count = 0;  // elements
  int number = 0;
  SlotId slot;

  std::int64_t offset() const { return first * size_of(DType::f32); }
};

// Calls visit(slice) for all slices of so many elements, in a loop of the phase.
template <class Visit>
void for_each_slice(PhaseBuilder& phase, std::int64_t elements, Visit visit) {
  const std::int64_t most = std::min(elements, elements_of_slice(elements, phase.context().execution));
  phase.builder().begin_loop();
  for (std::int64_t first = 0; first < elements; first += most) {
    const auto number = static_cast<int>(first / most);
    const auto turn = phase.builder().turn(number);
    const std::int64_t count = std::min(most, elements - first), bytes = count * size_of(DType::f32);
    visit(Slice{first, count, number, phase.slot(fmt::format("tied.slice{}", bytes), Content::gradients, bytes)});
  }
}

void add_stored(PhaseBuilder& phase, int owner, SlotId sum, const BufferSpec& gradient) {
  Row row = phase.state_row(StateKind::weight, owner);
  row.buffer = phase.own_buffer(gradient);
  for_each_slice(phase, phase.unit().variables[owner].placement.local_elements, [&](const Slice& slice) {
    row.offset = slice.offset();
    phase.builder().load(row, slice.slot);
    add(phase.builder(), sum, slice.first, slice.slot, slice.count);
  });
}

// In slices of the gradient of one instance of a tied variable, in float32, or of what it reads.
LinkId tied_link(const LoweringContext& context, const char* what, const BufferSpec& gradient, int instance, int from,
                 int to, std::int64_t elements, DType dtype) {
  const std::int64_t most = std::min(elements, elements_of_slice(elements, context.execution));
  return context.builder.link({.name = fmt::format("{}.{}.{}", what, gradient.name, instance),
                               .from = from,
                               .to = to,
                               .bytes = most * size_of(dtype),
                               .capacity = 2});
}

void add_received(PhaseBuilder& phase, int owner, SlotId sum, const TiedGradient& gradient, int from) {
  const LoweringContext& context = phase.context();
  const std::int64_t elements = phase.unit().variables[owner].placement.local_elements;
  const LinkId link =
      tied_link(context, "tied", gradient.buffer, phase.instance(), from, context.device, elements, DType::f32);
  for_each_slice(phase, elements, [&](const Slice& slice) {
    phase.builder().receive(link, slice.number, slice.slot);
    add(phase.builder(), sum, slice.first, slice.slot, slice.count);
  });
}

// An instance of a tied variable whose owner is in another unit.
struct Tied {
  int unit = 0, instance = 0, variable = 0;
};

// In the order in which the owners' phases ask for their gradients.
std::vector<Tied> tied_of(const LoweringContext& context) {
  std::vector<Tied> tied;
  const auto variable_of = [&](const Tied& t) -> const PlacedVariable& {
    return context.units[t.unit].variables[t.variable];
  };
  for (int u = 0; u < static_cast<int>(context.units.size()); ++u) {
    for (int v = 0; v < context.units[u].count(); ++v) {
      const PlacedVariable& variable = context.units[u].variables[v];
      if (!variable.tied || variable.owner >= 0) continue;
      for (int n = 0; n < context.units[u].unit.instances; ++n) tied.push_back({u, n, v});
    }
  }
  std::ranges::stable_sort(tied, {}, [&](const Tied& t) {
    return std::tuple(-variable_of(t).owner_unit, -t.instance, variable_of(t).owner_variable);
  });
  return tied;
}

}  // namespace

void exchange_tables(const LoweringContext& context) {
  if (!context.resident()) return;
  for (const auto& [u, n, v] : tied_of(context)) {
    const PlacedVariable& variable = context.units[u].variables[v];
    const int to = device_of(context.parts, u, n), from = device_of(context.parts, variable.owner_unit, n);
    if (from == to || (context.device != from && context.device != to)) continue;
    const bool sends = context.device == from;
    PhaseBuilder phase(context, context.units[sends ? variable.owner_unit : u], "tables", n);
    const Placement& placement = variable.placement;
    const StateKind kind = placement.computed_state();
    const SlotId slot = phase.state_slot(kind, sends ? variable.owner_variable : v);
    const LinkId link = tied_link(context, "table", variable.buffer(StateKind::gradient), n, from, to,
                                  placement.local_elements, placement.dtype(kind));
    const std::int64_t bytes = placement.local_bytes(kind);
    const std::int64_t most =
        std::min(placement.local_elements, elements_of_slice(placement.local_elements, context.execution)) *
        size_of(placement.dtype(kind));
    for (std::int64_t first = 0; first < bytes; first += most) {
      if (sends) {
        context.builder.send(slot, link, first / most, first);
      } else {
        context.builder.receive(link, first / most, slot, first);
      }
    }
  }
}

void send_tied(const LoweringContext& context) {
  for (const auto& [u, n, v] : tied_of(context)) {
    const PlacedVariable& variable = context.units[u].variables[v];
    const int to = device_of(context.parts, variable.owner_unit, n);
    if (device_of(context.parts, u, n) != context.device || to == context.device) continue;
    PhaseBuilder phase(context, context.units[u], "send tied", n);
    const std::int64_t elements = variable.placement.local_elements;
    const LinkId link =
        tied_link(context, "tied", variable.buffer(StateKind::gradient), n, context.device, to, elements, DType::f32);
    for_each_slice(phase, elements, [&, v = v](const Slice& slice) {
      Row row = phase.state_row(StateKind::gradient, v);
      row.offset = slice.offset();
      context.builder.load(row, slice.slot);
      context.builder.send(slice.slot, link, slice.number);
    });
  }
}

VariableSlots join_tied(PhaseBuilder& phase, const VariableSlots& gradients) {
  VariableSlots joined = gradients;
  for (int v = 0; v < phase.unit().count(); ++v) {
    const PlacedVariable& variable = phase.unit().variables[v];
    if (variable.frozen) continue;
    for (const TiedGradient& gradient : variable.joining) {
      const LoweringContext& context = phase.context();
      if (gradient.variable < 0) {
        const int from = device_of(context.parts, gradient.unit, phase.instance());
        if (from == context.device) {
          add_stored(phase, v, gradients[v], gradient.buffer);
        } else {
          add_received(phase, v, gradients[v], gradient, from);
        }
      } else {
        add(phase.builder(), gradients[v], 0, gradients[gradient.variable], variable.placement.local_elements);
      }
    }
    if (!variable.tied) continue;
    if (variable.owner < 0) phase.builder().store(gradients[v], phase.state_row(StateKind::gradient, v));
    joined[v] = {};
  }
  return joined;
}

}  // namespace phasor
