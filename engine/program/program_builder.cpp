#include "engine/program/program_builder.h"

#include "engine/collective/partial_sums.h"

namespace phasor {

ProgramBuilder::ProgramBuilder(std::string name, int replicas, int micro_batches) {
  program_.name = std::move(name);
  program_.replicas = replicas;
  program_.micro_batches = micro_batches;
}

int ProgramBuilder::buffer(const BufferSpec& spec, Origin origin) {
  const auto [found, is_new] = buffers_.try_emplace(spec.name, static_cast<int>(program_.buffers.size()));
  if (is_new) program_.buffers.push_back({spec, origin});
  ensure(program_.buffers[found->second].spec == spec, "program: buffer '{}' has two different specs", spec.name);
  return found->second;
}

int ProgramBuilder::slot(const Slot& slot) {
  const auto [found, is_new] = slots_.try_emplace({slot.phase, slot.name}, static_cast<int>(program_.slots.size()));
  if (is_new) program_.slots.push_back(slot);
  const Slot& existing = program_.slots[found->second];
  ensure(existing.bytes == slot.bytes, "program: slot '{}' has two sizes, {} and {} bytes", slot, existing.bytes,
         slot.bytes);
  ensure(existing.content == slot.content, "program: slot '{}' has two contents, {} and {}", slot,
         kContentNames[static_cast<std::size_t>(existing.content)],
         kContentNames[static_cast<std::size_t>(slot.content)]);
  return found->second;
}

int ProgramBuilder::graph(const std::string& name, GraphKind kind, Graph graph) {
  const auto [found, is_new] = graphs_.try_emplace(name, static_cast<int>(program_.graphs.size()));
  if (is_new) program_.graphs.push_back({name, kind, std::move(graph)});
  return found->second;
}

int ProgramBuilder::most_partial_sums() const {
  return phasor::most_partial_sums(program_.replicas, program_.micro_batches);
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

void ProgramBuilder::load(int buffer, std::int64_t row, int slot, std::int64_t offset) {
  push({.kind = StepKind::load,
        .slot = slot,
        .buffer = buffer,
        .row = static_cast<std::int32_t>(row),
        .offset = offset});
}
void ProgramBuilder::store(int slot, int buffer, std::int64_t row, std::int64_t offset) {
  push({.kind = StepKind::store,
        .slot = slot,
        .buffer = buffer,
        .row = static_cast<std::int32_t>(row),
        .offset = offset});
}
void ProgramBuilder::issue_load(int buffer, std::int64_t row, int slot) {
  load(buffer, row, slot);
  set_issued();
}
void ProgramBuilder::issue_store(int slot, int buffer, std::int64_t row) {
  store(slot, buffer, row);
  set_issued();
}
void ProgramBuilder::wait(int slot) { push({.kind = StepKind::wait, .slot = slot}); }
void ProgramBuilder::gather(int slot, int target) { push({.kind = StepKind::gather, .slot = slot, .target = target}); }
void ProgramBuilder::reduce_scatter(int slot, int target) {
  push({.kind = StepKind::reduce_scatter, .slot = slot, .target = target});
}
void ProgramBuilder::all_reduce(int slot) { push({.kind = StepKind::all_reduce, .slot = slot}); }
void ProgramBuilder::reduce_scatter_partials(int slot, int target) {
  push({.kind = StepKind::reduce_scatter, .slot = slot, .target = target, .partials = true});
}
void ProgramBuilder::all_reduce_partials(int slot, int target) {
  push({.kind = StepKind::all_reduce, .slot = slot, .target = target, .partials = true});
}
void ProgramBuilder::add_leaf(int slot, int target) {
  push({.kind = StepKind::add_leaf, .slot = slot, .target = target});
}
void ProgramBuilder::zero(int slot) { push({.kind = StepKind::zero, .slot = slot}); }

void ProgramBuilder::call(int graph, std::vector<std::int32_t> slots, std::vector<std::int64_t> offsets) {
  Call call{graph, std::move(slots), std::move(offsets)};
  const auto [found, is_new] = calls_.try_emplace(call, static_cast<int>(program_.calls.size()));
  if (is_new) program_.calls.push_back(std::move(call));
  push({.kind = StepKind::call, .call = found->second});
}

Program ProgramBuilder::finish() {
  program_.steps.shrink_to_fit();
  return std::move(program_);
}

}  // namespace phasor
