// Programs that are small enough to know by heart.
#pragma once

#include "engine/ir/builder.h"
#include "engine/program/program_builder.h"

namespace phasor::test {

inline TensorSpec vector_spec(std::int64_t elements) { return {DType::f32, {elements}}; }

// a, b -> a + b, which may lie where a lies.
inline Graph add_graph(std::int64_t elements) {
  Graph graph;
  const Value a = graph.add_input(vector_spec(elements), "a"), b = graph.add_input(vector_spec(elements), "b");
  graph.outputs = {Builder(graph).add(a, b)};
  return graph;
}

// A training step in miniature. Each replica holds kPart elements of the weights:
//   forward   y = all weights + x, kept remotely
//   backward  weights += this replica's part of the sum over replicas of y
inline constexpr std::int64_t kPart = 4;
inline Program small_program(int replicas) {
  ProgramBuilder b("small", replicas);
  const std::int64_t whole = kPart * replicas;
  const BufferId weights = b.buffer({"weights", vector_spec(kPart), 1}, Origin::state);
  const BufferId batch = b.buffer({"batch", vector_spec(whole), 1}, Origin::host);
  const BufferId kept = b.buffer({"kept", vector_spec(whole), 1}, Origin::program);
  const auto slot = [&](const char* phase, const char* name, Content content, std::int64_t elements) {
    return b.slot({.name = name, .phase = phase, .content = content, .bytes = elements * 4});
  };

  b.begin_phase("forward", 0, 1, Section::step);
  const SlotId part = slot("forward", "w", Content::weights, kPart);
  const SlotId gathered = slot("forward", "gathered", Content::weights, whole);
  const SlotId x = slot("forward", "x", Content::batch, whole), y = slot("forward", "y", Content::activations, whole);
  b.load({weights, 0}, part);
  b.gather(part, gathered);
  b.load({batch, 0}, x);
  b.call(b.graph("forward", GraphKind::forward, add_graph(whole)), {gathered, x, y});
  b.store(y, {kept, 0});

  b.begin_phase("backward", 0, 1, Section::step);
  const SlotId dy = slot("backward", "dy", Content::activations, whole);
  const SlotId g = slot("backward", "g", Content::gradients, kPart), w = slot("backward", "w", Content::weights, kPart);
  b.load({kept, 0}, dy);
  b.reduce_scatter(dy, g);
  b.load({weights, 0}, w);
  b.call(b.graph("update", GraphKind::update, add_graph(kPart)), {w, g, w});
  b.store(w, {weights, 0});
  return b.finish();
}

// A sum that stays on the device from step to step:  sum += the sum over replicas of x.
inline Program resident_program(int replicas) {
  ProgramBuilder b("resident", replicas);
  const BufferId total = b.buffer({"total", vector_spec(kPart), 1}, Origin::state);
  const BufferId batch = b.buffer({"batch", vector_spec(kPart), 1}, Origin::host);
  const SlotId sum = b.slot({.name = "sum", .content = Content::gradients, .bytes = kPart * 4}),
               x = b.slot({.name = "x", .content = Content::batch, .bytes = kPart * 4});
  b.begin_phase("load", 0, 1, Section::begin);
  b.load({total, 0}, sum);
  b.begin_phase("add", 0, 1, Section::step);
  b.load({batch, 0}, x);
  b.all_reduce(x);
  b.call(b.graph("add", GraphKind::forward, add_graph(kPart)), {sum, x, sum});
  b.begin_phase("store", 0, 1, Section::end);
  b.store(sum, {total, 0});
  return b.finish();
}

}  // namespace phasor::test
