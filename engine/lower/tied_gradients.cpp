#include "engine/lower/tied_gradients.h"

#include <algorithm>

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

// In slices, which take little room.
void add_stored(PhaseBuilder& phase, int owner, SlotId sum, const BufferSpec& gradient) {
  const std::int64_t elements = phase.unit().variables[owner].placement.local_elements;
  const std::int64_t most = std::min(elements, elements_of_slice(elements, phase.context().execution));
  Row row = phase.state_row(StateKind::weight, owner);
  row.buffer = phase.own_buffer(gradient);
  phase.builder().begin_loop();
  for (std::int64_t first = 0; first < elements; first += most) {
    const auto turn = phase.builder().turn(static_cast<int>(first / most));
    const std::int64_t count = std::min(most, elements - first), bytes = count * size_of(DType::f32);
    const SlotId slot = phase.slot(fmt::format("tied.slice{}", bytes), Content::gradients, bytes);
    row.offset = first * size_of(DType::f32);
    phase.builder().load(row, slot);
    add(phase.builder(), sum, first, slot, count);
  }
}

}  // namespace

VariableSlots join_tied(PhaseBuilder& phase, const VariableSlots& gradients) {
  VariableSlots joined = gradients;
  for (int v = 0; v < phase.unit().count(); ++v) {
    const PlacedVariable& variable = phase.unit().variables[v];
    if (variable.frozen) continue;
    for (const TiedGradient& gradient : variable.joining) {
      if (gradient.variable < 0) {
        add_stored(phase, v, gradients[v], gradient.buffer);
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
