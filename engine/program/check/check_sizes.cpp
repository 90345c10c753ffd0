#include "engine/collective/partial_sums.h"
#include "engine/program/check/checks.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

// `partials`: how many partial sums each slot of them has room for.
void check_step_sizes(const Program& program, int number, int partials) {
  const Step& step = program.steps[number];
  const StepPlace place{program, number};
  const auto bytes = [&](int slot) { return program.slots[slot].bytes; };
  const auto expect_bytes = [&](int slot, std::int64_t expected) {
    ensure(bytes(slot) == expected, "program: {}: slot '{}' has {} bytes, expected {}", place, program.slots[slot],
           bytes(slot), expected);
  };
  const auto expect_floats = [&](int slot) {
    constexpr std::int64_t kFloat = size_of(DType::f32);
    ensure(bytes(slot) % kFloat == 0, "program: {}: slot '{}' has {} bytes, expected numbers of {}", place,
           program.slots[slot], bytes(slot), kFloat);
  };
  switch (step.kind) {
    case StepKind::load:
    case StepKind::store: {
      const Buffer& buffer = program.buffers[step.buffer];
      const std::int64_t row = buffer.spec.row.bytes();
      ensure(step.offset >= 0 && step.offset + bytes(step.slot) <= row,
             "program: {}: slot '{}' of {} bytes at byte {} of a row of {}", place, program.slots[step.slot],
             bytes(step.slot), step.offset, row);
      return;
    }
    case StepKind::gather:
      return expect_bytes(step.target, program.replicas * bytes(step.slot));
    case StepKind::reduce_scatter:
      expect_bytes(step.slot, (step.partials ? partials : 1) * program.replicas * bytes(step.target));
      return expect_floats(step.target);
    case StepKind::all_reduce:
      if (step.partials) expect_bytes(step.slot, partials * bytes(step.target));
      return expect_floats(step.partials ? step.target : step.slot);
    case StepKind::add_leaf:
      expect_bytes(step.target, partials * bytes(step.slot));
      return expect_floats(step.slot);
    case StepKind::send:
    case StepKind::receive: {
      ensure(step.offset >= 0 && step.offset <= bytes(step.slot),
             "program: {}: a message of slot '{}' of {} bytes begins at byte {}", place, program.slots[step.slot],
             bytes(step.slot), step.offset);
      return;
    }
    case StepKind::zero:
    case StepKind::call:
    case StepKind::wait:
      return;
  }
}

void check_call_sizes(const Program& program, const Call& call) {
  const NamedGraph& named = program.graphs[call.graph];
  const Graph& graph = named.graph;
  const std::size_t inputs = graph.inputs.size(), operands = inputs + graph.outputs.size();
  ensure(call.slots.size() == operands, "program: graph '{}' is called on {} slots, expected {}", named.name,
         call.slots.size(), operands);
  ensure(call.offsets.empty() || call.offsets.size() == operands,
         "program: graph '{}' is called with {} offsets, expected {}", named.name, call.offsets.size(), operands);
  for (std::size_t i = 0; i < operands; ++i) {
    const TensorSpec& spec = graph.spec(i < inputs ? graph.inputs[i] : graph.outputs[i - inputs]);
    const Slot& slot = program.slots[call.slots[i]];
    ensure(call.offset(i) >= 0 && slot.bytes >= call.offset(i) + spec.bytes(),
           "program: graph '{}': slot '{}' of {} bytes holds {} at byte {}", named.name, slot, slot.bytes,
           to_string(spec), call.offset(i));
  }
}

}  // namespace

void check_sizes(const Program& program) {
  for (const Call& call : program.calls) check_call_sizes(program, call);
  const int partials = most_partial_sums(program.replicas, program.micro_batches);
  for (int step = 0; step < static_cast<int>(program.steps.size()); ++step) check_step_sizes(program, step, partials);
}

}  // namespace phasor
