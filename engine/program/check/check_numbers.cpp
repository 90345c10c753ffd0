#include <set>

#include "engine/program/check/checks.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

// The fields that a step of a kind has; all others are -1.
struct StepFields {
  const char* kind = nullptr;
  bool slot = false, link = false, target = false, buffer = false, call = false, partials = false;
};

StepFields fields_of(const Step& step) {
  switch (step.kind) {
    case StepKind::load:
      return {.kind = "load", .slot = true, .buffer = true};
    case StepKind::store:
      return {.kind = "store", .slot = true, .buffer = true};
    case StepKind::gather:
      return {.kind = "gather", .slot = true, .target = true};
    case StepKind::reduce_scatter:
      return {.kind = "reduce_scatter", .slot = true, .target = true, .partials = true};
    case StepKind::all_reduce:
      return {.kind = "all_reduce", .slot = true, .target = step.partials, .partials = true};
    case StepKind::zero:
      return {.kind = "zero", .slot = true};
    case StepKind::call:
      return {.kind = "call", .call = true};
    case StepKind::wait:
      return {.kind = "wait", .slot = true};
    case StepKind::send:
      return {.kind = "send", .slot = true, .link = true};
    case StepKind::receive:
      return {.kind = "receive", .slot = true, .link = true};
    case StepKind::add_leaf:
      return {.kind = "add_leaf", .slot = true, .target = true};
  }
  return {};
}

template <class Things>
bool is_number_of(std::int32_t number, const Things& things) {
  return number >= 0 && number < static_cast<std::int32_t>(things.size());
}

void check_things(const Program& program) {
  ensure(program.replicas >= 1, "program: it is for {} replicas, expected one at least", program.replicas);
  ensure(program.micro_batches >= 1, "program: it is for {} micro-batches, expected one at least",
         program.micro_batches);
  std::set<std::string_view> names;
  for (const Buffer& buffer : program.buffers) {
    ensure(names.insert(buffer.spec.name).second, "program: two buffers are named '{}'", buffer.spec.name);
    ensure(buffer.spec.rows >= 1, "program: buffer '{}' has {} rows, expected one at least", buffer.spec.name,
           buffer.spec.rows);
    ensure(static_cast<int>(buffer.queue) < kQueues, "program: buffer '{}' has queue {} of {}", buffer.spec.name,
           static_cast<int>(buffer.queue), kQueues);
  }
  std::set<std::string_view> links;
  for (const Link& link : program.links) {
    ensure(links.insert(link.name).second, "program: two links are named '{}'", link.name);
    ensure(link.from >= 0 && link.to >= 0 && link.from != link.to,
           "program: link '{}' goes from device {} to device {}", link.name, link.from, link.to);
    ensure(link.capacity >= 1 && link.bytes >= 0, "program: link '{}' takes {} messages of {} bytes", link.name,
           link.capacity, link.bytes);
  }
  for (const Slot& slot : program.slots) {
    ensure(slot.bytes >= 0, "program: slot '{}' has {} bytes", slot, slot.bytes);
  }
  for (const Call& call : program.calls) {
    ensure(is_number_of(call.graph, program.graphs), "program: a call names graph {} of {}", call.graph,
           program.graphs.size());
    for (std::int32_t slot : call.slots) {
      ensure(is_number_of(slot, program.slots), "program: a call of graph '{}' names slot {} of {}",
             program.graphs[call.graph].name, slot, program.slots.size());
    }
  }
}

void check_phases(const Program& program) {
  const auto steps = static_cast<std::int32_t>(program.steps.size());
  std::int32_t next = 0;
  Section section{};
  for (const Phase& phase : program.phases) {
    ensure(phase.instance >= 0 && phase.instance < phase.instances, "program: phase '{}' is instance {} of {}",
           phase.name, phase.instance, phase.instances);
    ensure(static_cast<int>(phase.section) < kSections, "program: phase '{}' has section {} of {}", phase.name,
           static_cast<int>(phase.section), kSections);
    ensure(phase.section >= section, "program: phase '{}' stands behind those of a later section", phase.name);
    ensure(phase.first_step == next, "program: phase '{}' starts at step {}, expected {}", phase.name, phase.first_step,
           next);
    ensure(phase.end_step >= phase.first_step && phase.end_step <= steps,
           "program: phase '{}' of the steps from {} ends in front of step {}, where there are {}", phase.name,
           phase.first_step, phase.end_step, steps);
    next = phase.end_step;
    section = phase.section;
  }
  ensure(next == steps, "program: {} steps belong to no phase", steps - next);
}

void check_micro_batch(const Program& program, int number) {
  const Step& step = program.steps[number];
  const StepPlace place{program, number};
  ensure(step.micro_batch >= -1 && step.micro_batch < program.micro_batches,
         "program: {} serves micro-batch {}, of which there are {}", place, step.micro_batch, program.micro_batches);
  ensure(step.kind != StepKind::add_leaf || step.micro_batch >= 0, "program: {} adds the leaf of no micro-batch",
         place);
}

void check_fields(const Program& program, int number) {
  const Step& step = program.steps[number];
  const StepPlace place{program, number};
  const StepFields fields = fields_of(step);
  ensure(fields.kind != nullptr, "program: {} is of no kind", place);
  const auto expect = [&](bool has, const char* field, std::int32_t value, const auto& things) {
    ensure(has || value == -1, "program: {}: a {} has no {}, but this one names {}", place, fields.kind, field, value);
    ensure(!has || is_number_of(value, things), "program: {}: a {} of {} {}, of which there are {}", place, fields.kind,
           field, value, things.size());
  };
  expect(fields.slot, "slot", step.slot, program.slots);
  expect(fields.link, "link", step.link, program.links);
  expect(fields.target, "target", step.target, program.slots);
  expect(fields.buffer, "buffer", step.buffer, program.buffers);
  expect(fields.call, "call", step.call, program.calls);
  ensure(fields.buffer || fields.link || step.row == -1, "program: {}: a {} has no row, but this one names {}", place,
         fields.kind, step.row);
  ensure(!fields.target || step.target != step.slot, "program: {}: a {} from slot '{}' to itself", place, fields.kind,
         program.slots[step.slot]);
  ensure(fields.buffer || !step.issues, "program: {}: a {} cannot be under way", place, fields.kind);
  ensure(step.turn >= -1, "program: {} stands in turn {}", place, step.turn);
  ensure(fields.partials || !step.partials, "program: {}: a {} sums no partial sums", place, fields.kind);
  check_micro_batch(program, number);
  if (fields.link) {
    const Link& link = program.links[step.link];
    const bool sends = step.kind == StepKind::send;
    ensure(program.device == (sends ? link.from : link.to), "program: {}: device {} is not the one that {} link '{}'",
           place, program.device, sends ? "sends through" : "receives from", link.name);
    ensure(step.row >= 0, "program: {} moves message {} of link '{}'", place, step.row, link.name);
  }
  if (!fields.buffer) return;
  const BufferSpec& buffer = program.buffers[step.buffer].spec;
  ensure(step.row >= 0 && step.row < buffer.rows, "program: {} uses row {} of buffer '{}', which has {}", place,
         step.row, buffer.name, buffer.rows);
}

}  // namespace

void check_numbers(const Program& program) {
  check_things(program);
  check_phases(program);
  for (int step = 0; step < static_cast<int>(program.steps.size()); ++step) check_fields(program, step);
}

}  // namespace phasor
