#include "engine/lower/units/update_graphs.h"

#include <algorithm>

#include "engine/ir/builder.h"
#include "engine/ir/records.h"
#include "engine/ir/verifier.h"

namespace phasor {

namespace {

const TensorSpec kScalar{DType::f32, {1}};

Graph verified(Graph graph) {
  verify(graph);
  return graph;
}

}  // namespace

int count_positions(const std::vector<UpdateSlice>& slices) {
  int count = 0;
  for (const UpdateSlice& slice : slices) {
    if (slice.placement.stores == DType::bf16) count = std::max(count, slice.draw.position + 1);
  }
  return count;
}

Graph update_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options) {
  Graph graph;
  struct State {
    Value w, m, v, g;
  };
  std::vector<State> states;
  for (const UpdateSlice& slice : slices) {
    const TensorSpec spec{DType::f32, {slice.elements}};
    states.push_back({.w = graph.add_input({slice.placement.stores, {slice.elements}}, slice.name),
                      .m = graph.add_input(spec, "m " + slice.name),
                      .v = graph.add_input(spec, "v " + slice.name),
                      .g = graph.add_input(spec, "d " + slice.name)});
  }
  const Value step = graph.add_input(kAdamStepSpec, "step");
  const Value clip = options.max_grad_norm > 0 ? graph.add_input(kScalar, "clip") : Value{};
  std::vector<Value> positions;
  for (int k = 0; k < count_positions(slices); ++k) {
    positions.push_back(graph.add_input(kUpdatePositionSpec, fmt::format("update_position{}", k)));
  }
  Builder b(graph);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto& [variable, name, decays, placement, draw, first, elements] = slices[i];
    const AdamAttributes attributes{.beta1 = options.beta1,
                                    .beta2 = options.beta2,
                                    .eps = options.eps,
                                    .weight_decay = decays ? options.weight_decay : 0,
                                    .decoupled = options.decoupled_weight_decay,
                                    .rounds = placement.rounds()};
    const Value w = b.convert(states[i].w, DType::f32);
    auto updated = b.adam(w, states[i].m, states[i].v, states[i].g, step, clip, attributes);
    if (placement.stores == DType::bf16) {
      const std::int64_t shard = placement.sharded ? placement.local_elements : 0;
      updated.w = b.stochastic_round(
          updated.w, positions[draw.position],
          {.number = draw.number, .shard_elements = shard, .first = first, .slice_elements = placement.elements});
    }
    graph.outputs.insert(graph.outputs.end(), {updated.w, updated.m, updated.v});
    if (updated.rounded.valid()) graph.outputs.push_back(updated.rounded);
  }
  return verified(std::move(graph));
}

Graph square_sum_graph(const std::vector<Placement>& placements) {
  Graph graph;
  std::vector<Value> gradients;
  for (const Placement& placement : placements)
    gradients.push_back(graph.add_input(placement.local_spec(StateKind::gradient), "g"));
  Value sum = graph.add_input(kSquareSumSpec, "sum");
  Builder b(graph);
  for (Value gradient : gradients) sum = b.square_sum(sum, gradient);
  graph.outputs = {sum};
  return verified(std::move(graph));
}

Graph clip_graph(const OptimizerOptions& options, int replicas) {
  Graph graph;
  const TensorSpec sums{DType::i64, {replicas * kSquareSumSpec.shape.elements()}};
  const Value sharded = graph.add_input(sums, "sharded"), whole = graph.add_input(kSquareSumSpec, "whole");
  const Value step = graph.add_input(kAdamStepSpec, "step");
  Builder b(graph);
  const auto [clip, norm] = b.clip_factor(sharded, whole, step, {.max_norm = options.max_grad_norm});
  graph.outputs = {clip, norm};
  return verified(std::move(graph));
}

}  // namespace phasor
