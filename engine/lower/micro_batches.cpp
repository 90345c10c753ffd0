// The micro-batch loop of a phase, unrolled: what each micro-batch loads, calls and stores, and how gradients add up.
#include "engine/lower/unit_lowering.h"

namespace phasor {

void UnitLowering::run_micro_batches(const std::string& name, const UnitGraph& graph,
                                     const std::vector<TensorSpec>& kept, int first_kept, int n) {
  bool accumulates = false;
  for (const Port& port : graph.inputs) accumulates |= port.role == Role::accumulator;
  const int number = builder_.graph(name, accumulates ? GraphKind::gradient : GraphKind::forward, graph.graph);

  // Without `reproducible` an accumulator takes one micro-batch after another. With it, it takes each by itself, which
  // is a leaf of the tree of collective/tree_sum.h. Where in the tree it stands follows from the replica and from how
  // many micro-batches a run has: it is for the partial sums to know.
  builder_.begin_loop();
  if (accumulates && !sums_leaves_) zero_accumulators();
  for (int m = 0; m < execution_.accumulation; ++m) {
    builder_.set_micro_batch(m);
    if (accumulates && sums_leaves_) zero_accumulators();
    run_micro_batch(number, graph, kept, first_kept, n, m);
    if (accumulates && sums_leaves_) add_leaves();
  }
  builder_.set_micro_batch(-1);
}

void UnitLowering::zero_accumulators() {
  for (int i = 0; i < static_cast<int>(variables_.size()); ++i) builder_.zero(accumulator(i));
}

void UnitLowering::add_leaves() {
  for (int i = 0; i < static_cast<int>(variables_.size()); ++i) builder_.add_leaf(accumulator(i), partial_sums(i));
}

void UnitLowering::run_micro_batch(int graph_number, const UnitGraph& graph, const std::vector<TensorSpec>& kept,
                                   int first_kept, int n, int m) {
  const int steps = execution_.accumulation;
  const int boundary = unit_.first_boundary + (unit_.sliced ? 0 : n);  // that the instance writes
  const int boundary_in = unit_.sliced ? boundary : boundary - 1;      // that it reads
  const auto spec = [&](Value value) { return unit_.graph.spec(value); };
  const auto host = [&](const BufferSpec& buffer) { return builder_.buffer(buffer, Origin::host); };
  const auto own = [&](const BufferSpec& buffer) { return builder_.buffer(buffer, Origin::program); };
  const auto kept_buffer = [&](int k) {
    return own(buffers_.kept(unit_.name, k, kept[k], unit_.instances - first_kept));
  };
  const int kept_row = (n - first_kept) * steps + m;

  std::vector<std::int32_t> slots;
  for (const auto& [role, k] : graph.inputs) {
    switch (role) {
      case Role::weight:
        slots.push_back(gathered_weight(k));
        break;
      case Role::packed:
        slots.push_back(packed_weight(k, graph.graph.spec(graph.graph.inputs[slots.size()])));
        break;
      case Role::accumulator:
        slots.push_back(accumulator(k));
        break;
      case Role::x:
        if (unit_.sliced && n == 0) {
          slots.push_back(slot("x", Content::activations, spec(unit_.x).bytes()));
          builder_.zero(slots.back());
          break;
        }
        slots.push_back(loaded(own(buffers_.activation(spec(unit_.x), boundaries_)), boundary_in * steps + m, "x",
                               Content::activations));
        break;
      case Role::y:
        slots.push_back(loaded(own(buffers_.activation(spec(unit_.y), boundaries_)), boundary * steps + m, "y",
                               Content::activations));
        break;
      case Role::dy:
        slots.push_back(loaded(own(buffers_.activation_gradient(spec(unit_.y), boundaries_)), boundary * steps + m,
                               "dy", Content::activations));
        break;
      case Role::batch: {
        const auto& [name, value] = unit_.batch[k];
        slots.push_back(loaded(host(buffers_.batch(name, spec(value))), m, "batch." + name, Content::batch));
        break;
      }
      case Role::position:
        slots.push_back(loaded(host(buffers_.position(stage_instances_)), (unit_.positions[k].instance + n) * steps + m,
                               fmt::format("position{}", k), Content::batch));
        break;
      case Role::loss_scale:
        slots.push_back(loaded(host(buffers_.loss_scale()), 0, "loss_scale", Content::batch));
        break;
      case Role::kept:
        slots.push_back(loaded(kept_buffer(k), kept_row, fmt::format("kept{}", k), Content::activations));
        break;
      case Role::dx:
      case Role::loss:
      case Role::result:
        ensure(false, "lowering: a result is an input of '{}'", unit_.name);
    }
  }

  struct Stored {
    int slot, buffer;
    std::int64_t row;
  };
  std::vector<Stored> stored;
  const auto store = [&](const char* what, Content content, int buffer, std::int64_t row, int k = 0) {
    stored.push_back({slot(fmt::format("{}{}", what, k), content, builder_.bytes_of_row(buffer)), buffer, row});
    slots.push_back(stored.back().slot);
  };
  for (const auto& [role, k] : graph.outputs) {
    switch (role) {
      case Role::accumulator:
        slots.push_back(accumulator(k));
        break;
      case Role::y:
        store("y_out", Content::activations, own(buffers_.activation(spec(unit_.y), boundaries_)),
              boundary * steps + m);
        break;
      case Role::dx:
        store("dx_out", Content::activations, own(buffers_.activation_gradient(spec(unit_.x), boundaries_)),
              boundary_in * steps + m);
        break;
      case Role::loss:
        store("loss", Content::batch, own(buffers_.loss()), m);
        break;
      case Role::kept:
        store("kept_out", Content::activations, kept_buffer(k), kept_row, k);
        break;
      case Role::result: {
        const auto& [name, value] = unit_.results[k];
        store("result", Content::batch, own(buffers_.result(name, spec(value))), m, k);
        break;
      }
      default:
        ensure(false, "lowering: an input is a result of '{}'", unit_.name);
    }
  }
  builder_.call(graph_number, std::move(slots));
  for (const Stored& s : stored) builder_.store(s.slot, s.buffer, s.row);
}

}  // namespace phasor
