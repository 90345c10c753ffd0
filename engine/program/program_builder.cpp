#include "engine/program/program_builder.h"

#include "engine/collective/partial_sums.h"
#include "engine/ir/printer.h"

namespace phasor {

namespace {

// Of what is added next.
template <class Thing>
Id<Thing> next_id(const std::vector<Thing>& things) {
  return {static_cast<std::int32_t>(things.size())};
}

Step transfer(StepKind kind, SlotId slot, Row row) {
  return {.kind = kind,
          .slot = slot,
          .buffer = row.buffer,
          .row = static_cast<std::int32_t>(row.number),
          .offset = row.offset};
}

}  // namespace

ProgramBuilder::ProgramBuilder(std::string name, int replicas, int micro_batches, int device)
    : most_partial_sums_(phasor::most_partial_sums(replicas, micro_batches)) {
  program_.name = std::move(name);
  program_.replicas = replicas;
  program_.micro_batches = micro_batches;
  program_.device = device;
}

BufferId ProgramBuilder::buffer(const BufferSpec& spec, Origin origin) {
  const auto [found, is_new] = buffers_.try_emplace(spec.name, next_id(program_.buffers));
  if (is_new) program_.buffers.push_back({spec, origin});
  ensure(program_.buffers[found->second].spec == spec, "program: buffer '{}' has two different specs", spec.name);
  return found->second;
}

SlotId ProgramBuilder::slot(const Slot& slot) {
  const auto [found, is_new] = slots_.try_emplace({slot.phase, slot.name, slot.copy}, next_id(program_.slots));
  if (is_new) program_.slots.push_back(slot);
  const Slot& existing = program_.slots[found->second];
  ensure(existing.bytes == slot.bytes, "program: slot '{}' has two sizes, {} and {} bytes", slot, existing.bytes,
         slot.bytes);
  ensure(existing.content == slot.content, "program: slot '{}' has two contents, {} and {}", slot,
         name_of(existing.content), name_of(slot.content));
  return found->second;
}

LinkId ProgramBuilder::link(const Link& link) {
  const auto [found, is_new] = links_.try_emplace(link.name, next_id(program_.links));
  if (is_new) program_.links.push_back(link);
  ensure(program_.links[found->second] == link, "program: link '{}' is two different ones", link.name);
  return found->second;
}

GraphId ProgramBuilder::graph(const std::string& name, GraphKind kind, Graph graph) {
  const auto [found, is_new] = graphs_.try_emplace(name, next_id(program_.graphs));
  if (is_new) {
    program_.graphs.push_back({name, kind, std::move(graph)});
    return found->second;
  }
  const NamedGraph& existing = program_.graphs[found->second];
  ensure(existing.kind == kind && to_string(existing.graph) == to_string(graph),
         "program: two different graphs are named '{}'", name);
  return found->second;
}

GraphId ProgramBuilder::find_graph(const std::string& name) const {
  const auto found = graphs_.find(name);
  return found == graphs_.end() ? GraphId{} : found->second;
}

void ProgramBuilder::begin_phase(std::string name, int instance, int instances, Section section) {
  const auto first = static_cast<std::int32_t>(program_.steps.size());
  ensure(program_.phases.empty() || program_.phases.back().section <= section, "program: phase '{}' is out of order",
         name);
  loop_ = 0;
  program_.phases.push_back({std::move(name), instance, instances, section, first, first});
}

void ProgramBuilder::push(Step step) {
  step.micro_batch = micro_batch_;
  step.turn = turn_;
  step.loop = loop_;
  program_.steps.push_back(step);
  program_.phases.back().end_step = static_cast<std::int32_t>(program_.steps.size());
}

void ProgramBuilder::set_issued() {
  Step step = program_.steps.back();
  step.issues = true;
  program_.steps.set(program_.steps.size() - 1, step);
}

void ProgramBuilder::load(Row row, SlotId slot) { push(transfer(StepKind::load, slot, row)); }
void ProgramBuilder::store(SlotId slot, Row row) { push(transfer(StepKind::store, slot, row)); }
void ProgramBuilder::issue_load(Row row, SlotId slot) {
  load(row, slot);
  set_issued();
}
void ProgramBuilder::issue_store(SlotId slot, Row row) {
  store(slot, row);
  set_issued();
}
void ProgramBuilder::wait(SlotId slot) { push({.kind = StepKind::wait, .slot = slot}); }
void ProgramBuilder::send(SlotId slot, LinkId link, std::int64_t number, std::int64_t offset) {
  push(
      {.kind = StepKind::send, .slot = slot, .link = link, .row = static_cast<std::int32_t>(number), .offset = offset});
}
void ProgramBuilder::receive(LinkId link, std::int64_t number, SlotId slot, std::int64_t offset) {
  push({.kind = StepKind::receive,
        .slot = slot,
        .link = link,
        .row = static_cast<std::int32_t>(number),
        .offset = offset});
}
void ProgramBuilder::gather(SlotId slot, SlotId target) {
  push({.kind = StepKind::gather, .slot = slot, .target = target});
}
void ProgramBuilder::reduce_scatter(SlotId slot, SlotId target) {
  push({.kind = StepKind::reduce_scatter, .slot = slot, .target = target});
}
void ProgramBuilder::all_reduce(SlotId slot) { push({.kind = StepKind::all_reduce, .slot = slot}); }
void ProgramBuilder::reduce_scatter_partials(SlotId slot, SlotId target) {
  push({.kind = StepKind::reduce_scatter, .slot = slot, .target = target, .partials = true});
}
void ProgramBuilder::all_reduce_partials(SlotId slot, SlotId target) {
  push({.kind = StepKind::all_reduce, .slot = slot, .target = target, .partials = true});
}
void ProgramBuilder::add_leaf(SlotId slot, SlotId target) {
  push({.kind = StepKind::add_leaf, .slot = slot, .target = target});
}
void ProgramBuilder::zero(SlotId slot) { push({.kind = StepKind::zero, .slot = slot}); }

void ProgramBuilder::call(GraphId graph, const std::vector<SlotId>& slots, std::vector<std::int64_t> offsets) {
  Call call{graph, {slots.begin(), slots.end()}, std::move(offsets)};
  const auto [found, is_new] = calls_.try_emplace(call, static_cast<std::int32_t>(program_.calls.size()));
  if (is_new) program_.calls.push_back(std::move(call));
  push({.kind = StepKind::call, .call = found->second});
}

Program ProgramBuilder::finish() {
  program_.steps.shrink_to_fit();
  return std::move(program_);
}

}  // namespace phasor
