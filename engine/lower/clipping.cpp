#include "engine/lower/clipping.h"

#include <algorithm>

#include "engine/ir/records.h"
#include "engine/lower/units/update_graphs.h"

namespace phasor {

namespace {

SlotId square_sum_slot(ProgramBuilder& builder, bool sharded) {
  return builder.slot({.name = sharded ? "square_sum.sharded" : "square_sum.whole",
                       .content = Content::batch,
                       .bytes = kSquareSumSpec.bytes()});
}

// Between neighbouring devices; `bytes` of a message.
LinkId neighbour_link(const LoweringContext& context, const char* name, int from, int to, std::int64_t bytes) {
  return context.builder.link(
      {.name = fmt::format("{}.{}", name, std::min(from, to)), .from = from, .to = to, .bytes = bytes, .capacity = 2});
}
LinkId norm_link(const LoweringContext& context, int from) {
  return neighbour_link(context, "norm", from, from - 1, kSquareSumSpec.bytes());
}
LinkId clip_link(const LoweringContext& context, int from) {
  return neighbour_link(context, "clip", from, from + 1, size_of(DType::f32));
}

}  // namespace

SlotId clip_slot(ProgramBuilder& builder) {
  return builder.slot({.name = "clip", .content = Content::batch, .bytes = size_of(DType::f32)});
}

void begin_norm(const LoweringContext& context) {
  if (context.device + 1 < context.devices()) return;
  context.builder.begin_phase("norm", 0, 1, Section::step);
  for (const bool sharded : {true, false}) context.builder.zero(square_sum_slot(context.builder, sharded));
}

void receive_norm(const LoweringContext& context) {
  const LinkId link = norm_link(context, context.device + 1);
  for (const bool sharded : {true, false})
    context.builder.receive(link, sharded ? 0 : 1, square_sum_slot(context.builder, sharded));
}

void send_norm(const LoweringContext& context) {
  context.builder.begin_phase("send norm", 0, 1, Section::step);
  const LinkId link = norm_link(context, context.device);
  for (const bool sharded : {true, false})
    context.builder.send(square_sum_slot(context.builder, sharded), link, sharded ? 0 : 1);
}

void add_square_sums(PhaseBuilder& phase, const VariableSlots& gradients) {
  ProgramBuilder& builder = phase.builder();
  for (const bool sharded : {true, false}) {
    std::vector<Placement> placements;
    std::vector<SlotId> slots;
    for (int v = 0; v < phase.unit().count(); ++v) {
      const PlacedVariable& variable = phase.unit().variables[v];
      const Placement& placement = variable.placement;
      if (placement.sharded != sharded || variable.tied || variable.frozen) continue;
      placements.push_back(placement);
      slots.push_back(gradients[v]);
    }
    if (placements.empty()) continue;
    slots.insert(slots.end(), 2, square_sum_slot(builder, sharded));
    const std::string name = fmt::format("{}.square_sum.{}", phase.unit().unit.name, sharded ? "sharded" : "whole");
    GraphId graph = builder.find_graph(name);
    if (!graph.valid()) graph = builder.graph(name, GraphKind::square_sum, square_sum_graph(placements));
    builder.call(graph, slots);
  }
}

namespace {

void make_clip_factor(const LoweringContext& context) {
  ProgramBuilder& builder = context.builder;
  const int replicas = context.execution.replicas;
  const SlotId own = square_sum_slot(builder, true), whole = square_sum_slot(builder, false);
  SlotId sharded = own;
  if (replicas > 1) {
    sharded = builder.slot(
        {.name = "gathered.square_sum", .content = Content::batch, .bytes = replicas * kSquareSumSpec.bytes()});
    builder.gather(own, sharded);
  }
  const BufferId buffer = builder.buffer(context.step_buffer(), Origin::host);
  const SlotId step = builder.slot(
      {.name = "adam_step", .phase = "clip", .content = Content::batch, .bytes = builder.bytes_of_row(buffer)});
  builder.load({buffer}, step);
  const BufferId norms = builder.buffer(context.buffers.gradient_norm(), Origin::program);
  const SlotId norm =
      builder.slot({.name = "norm", .phase = "clip", .content = Content::batch, .bytes = builder.bytes_of_row(norms)});
  builder.call(builder.graph("clip", GraphKind::clip, clip_graph(context.optimizer, replicas)),
               {sharded, whole, step, clip_slot(builder), norm});
  builder.store(norm, {norms});
}

}  // namespace

void clip_phase(const LoweringContext& context, bool updates, bool goes_on) {
  if (context.device > 0 && !updates && !goes_on) return;
  context.builder.begin_phase("clip", 0, 1, Section::step);
  if (context.device == 0) {
    make_clip_factor(context);
  } else {
    context.builder.receive(clip_link(context, context.device - 1), 0, clip_slot(context.builder));
  }
  if (goes_on) context.builder.send(clip_slot(context.builder), clip_link(context, context.device), 0);
}

}  // namespace phasor
