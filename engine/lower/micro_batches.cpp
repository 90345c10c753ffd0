#include "engine/lower/micro_batches.h"

namespace phasor {

namespace {

// A tensor of a micro-batch: where it lies remotely, and in which slot on the device.
struct Tensor {
  std::string slot;
  Content content{};
  Row row;
};

class MicroBatch {
 public:
  MicroBatch(PhaseBuilder& phase, int m)
      : phase_(phase), unit_(phase.unit().unit), m_(m), rows_(phase.context().execution.accumulation) {}

  // What the slices of a sliced unit make together begins with nothing.
  SlotId load(Port port) {
    const bool first_of_y = port.role == Role::partial && phase_.instance() == 0;
    const bool first_of_dx = port.role == Role::dx && phase_.instance() == unit_.instances - 1;
    if (port.role == Role::x && phase_.ends().x.valid()) return receive("x", port, phase_.ends().x);
    if (port.role == Role::dy && phase_.ends().dy.valid()) return receive("dy", port, phase_.ends().dy);
    const auto [name, content, row] = tensor(port, "");
    if (!first_of_y && !first_of_dx) return phase_.load(name, content, row);
    const SlotId slot = phase_.slot(name, content, phase_.builder().bytes_of_row(row.buffer));
    phase_.builder().zero(slot);
    return slot;
  }

  // Whether another device gets it: through which link, and under which name it lies here.
  struct Outgoing {
    const PhaseEnd* end = nullptr;
    std::string slot;
    std::int64_t bytes = 0;
  };
  Outgoing outgoing(Port port) const {
    const PhaseEnds& ends = phase_.ends();
    if (port.role == Role::y && ends.y.valid()) return {&ends.y, "y_out", spec(unit_.y).bytes()};
    if (port.role == Role::dx && ends.dx.valid())
      return {&ends.dx, unit_.sliced ? "dx_out" : "dx", spec(unit_.x).bytes()};
    return {};
  }
  void send(const Outgoing& out, SlotId slot) { phase_.builder().send(slot, link(*out.end, out.bytes), m_); }

  // `suffix` tells what goes out from what came in.
  Tensor tensor(Port port, const char* suffix) {
    const int k = port.index;
    const auto host = [&](const BufferSpec& buffer) { return phase_.host_buffer(buffer); };
    const auto own = [&](const BufferSpec& buffer) { return phase_.own_buffer(buffer); };
    switch (port.role) {
      case Role::x:
        return {"x", Content::activations, boundary(&HostBuffers::activation, spec(unit_.x), x_)};
      case Role::y:
        return {fmt::format("y{}", suffix), Content::activations,
                boundary(&HostBuffers::activation, spec(unit_.y), y_)};
      case Role::partial:
        return {"partial", Content::activations, boundary(&HostBuffers::activation, spec(unit_.y), y_)};
      case Role::dx:
        return {fmt::format("dx{}", unit_.sliced ? suffix : ""), Content::activations,
                boundary(&HostBuffers::activation_gradient, spec(unit_.x), x_)};
      case Role::dy:
        return {"dy", Content::activations, boundary(&HostBuffers::activation_gradient, spec(unit_.y), y_)};
      case Role::kept:
        return {fmt::format("kept{}{}", suffix, k), Content::activations, kept(k)};
      case Role::batch: {
        const auto& [name, value] = unit_.batch[k];
        return {"batch." + name, Content::batch, {host(buffers().batch(name, spec(value))), m_}};
      }
      case Role::position: {
        const int instance = unit_.positions[k].instance + phase_.instance();
        const BufferId positions = host(buffers().position(phase_.context().stage_instances));
        return {fmt::format("position{}", k), Content::batch, {positions, std::int64_t{instance} * rows_ + m_}};
      }
      case Role::loss_scale:
        return {"loss_scale", Content::batch, {host(buffers().loss_scale())}};
      case Role::loss:
        return {"loss", Content::batch, {own(buffers().loss()), m_}};
      case Role::result: {
        const auto& [name, value] = unit_.results[k];
        return {"result." + name, Content::batch, {own(buffers().result(name, spec(value))), m_}};
      }
      case Role::weight:
      case Role::packed:
      case Role::accumulator:
      case Role::carried:
        break;
    }
    throw InternalError(fmt::format("lowering: '{}' has a port that no row of a micro-batch holds", unit_.name));
  }

 private:
  LinkId link(const PhaseEnd& end, std::int64_t bytes) {
    Link made = end.link;
    made.bytes = bytes;
    return phase_.builder().link(made);
  }
  SlotId receive(const char* name, Port port, const PhaseEnd& end) {
    const std::int64_t bytes = spec(port.role == Role::x ? unit_.x : unit_.y).bytes();
    const SlotId slot = phase_.slot(name, Content::activations, bytes);
    phase_.builder().receive(link(end, bytes), m_, slot);
    if (end.is_stored) phase_.builder().store(slot, tensor(port, "").row);
    return slot;
  }

  const HostBuffers& buffers() const { return phase_.context().buffers; }
  const TensorSpec& spec(Value value) const { return unit_.graph.spec(value); }

  // Of the activation between instances b and b + 1, or of its gradient.
  Row boundary(BufferSpec (HostBuffers::*kind)(int, const TensorSpec&, int) const, const TensorSpec& tensor, int b) {
    const bool is_y = kind == &HostBuffers::activation && b == y_, is_dx = kind != &HostBuffers::activation && b == x_;
    if ((is_y && phase_.ends().shares_y) || (is_dx && phase_.ends().shares_dx)) {
      return {phase_.own_buffer(buffers().partial(unit_.name, is_dx, tensor)), m_};
    }
    const Boundaries& boundaries =
        kind == &HostBuffers::activation ? phase_.context().boundaries : phase_.context().gradient_boundaries;
    const auto [buffer, number] = boundaries.places[b];
    return {phase_.own_buffer((buffers().*kind)(buffer, tensor, boundaries.counts[buffer])),
            std::int64_t{number} * rows_ + m_};
  }
  Row kept(int k) {
    const auto [specs, first, instances] = phase_.unit().kept();
    return {phase_.own_buffer(buffers().kept(unit_.name, k, specs[k], instances)),
            std::int64_t{phase_.instance() - first} * rows_ + m_};
  }

  PhaseBuilder& phase_;
  const Unit& unit_;
  int m_, rows_;  // of the rows that each instance has in a buffer, micro-batch m's
  // The numbers of the activations that the instance writes and reads. All slices of a unit make one.
  int x_ = unit_.first_boundary - 1 + (unit_.sliced ? 0 : phase_.instance());
  int y_ = x_ + unit_.boundaries;
};

}  // namespace

GraphId add_graph(ProgramBuilder& builder, const std::string& name, GraphKind kind, const UnitGraph& graph) {
  const GraphId existing = builder.find_graph(name);
  return existing.valid() ? existing : builder.graph(name, kind, graph.graph);
}

void call_micro_batch(PhaseBuilder& phase, const UnitGraph& graph, GraphId number, const GraphWeights& weights,
                      const VariableSlots& sums, int m) {
  MicroBatch micro_batch(phase, m);
  std::vector<SlotId> slots;
  for (const Port& port : graph.inputs) {
    switch (port.role) {
      case Role::weight:
        slots.push_back(weights.whole[port.index]);
        break;
      case Role::packed:
        slots.push_back(weights.packed[port.index]);
        break;
      case Role::accumulator:
        slots.push_back(sums[port.index]);
        break;
      case Role::carried:
        slots.push_back(phase.carried_slot(port.index, m));
        if (!phase.context().resident()) phase.builder().load(phase.carried_row(port.index, m), slots.back());
        break;
      default:
        slots.push_back(micro_batch.load(port));
    }
  }
  std::vector<std::pair<SlotId, Row>> stores;
  std::vector<std::pair<SlotId, MicroBatch::Outgoing>> sends;
  for (const Port& port : graph.outputs) {
    if (port.role == Role::accumulator) {
      slots.push_back(sums[port.index]);
      continue;
    }
    if (port.role == Role::carried) {
      slots.push_back(phase.carried_slot(port.index, m));
      if (!phase.context().resident()) stores.emplace_back(slots.back(), phase.carried_row(port.index, m));
      continue;
    }
    if (const MicroBatch::Outgoing out = micro_batch.outgoing(port); out.end != nullptr) {
      slots.push_back(phase.slot(out.slot, Content::activations, out.bytes));
      if (out.end->is_stored) stores.emplace_back(slots.back(), micro_batch.tensor(port, "_out").row);
      sends.emplace_back(slots.back(), out);
      continue;
    }
    const auto [name, content, row] = micro_batch.tensor(port, "_out");
    slots.push_back(phase.slot(name, content, phase.builder().bytes_of_row(row.buffer)));
    stores.emplace_back(slots.back(), row);
  }
  phase.builder().call(number, slots);
  for (const auto& [slot, row] : stores) phase.builder().store(slot, row);
  for (const auto& [slot, out] : sends) micro_batch.send(out, slot);
}

}  // namespace phasor
