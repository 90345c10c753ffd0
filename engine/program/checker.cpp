#include "engine/program/checker.h"

#include <algorithm>

#include "engine/ir/op_table.h"

namespace phasor {

namespace {

// Whether `output` of the graph may lie where its input `input` lies: every node that reads the input has run by the
// time the output is written, and the node that writes it may overwrite what it reads.
bool may_overwrite(const Graph& graph, Value output, Value input) {
  const int producer = graph[output].producer;
  if (producer < 0) return false;
  for (int i = producer; i < static_cast<int>(graph.nodes.size()); ++i) {
    const Node& node = graph.nodes[i];
    const auto reads = std::count(node.inputs.begin(), node.inputs.end(), input);
    if (reads == 0) continue;
    const auto k = std::find(node.outputs.begin(), node.outputs.end(), output) - node.outputs.begin();
    if (i > producer || reads > 1 || k >= op_info(node.op).overwritable_inputs || node.inputs[k] != input) return false;
  }
  return true;
}

class Checker {
 public:
  explicit Checker(const Program& program)
      : program_(program), slots_(program.slots.size(), SlotState::empty), transfers_(program.slots.size()) {
    for (const Buffer& buffer : program.buffers) {
      rows_.emplace_back(static_cast<std::size_t>(buffer.spec.rows), RowState::empty);
    }
  }

  void run() {
    for (const Call& call : program_.calls) check_call(call);
    std::int32_t next = 0;
    Section section{};
    for (const Phase& phase : program_.phases) {
      ensure(phase.first_step == next, "program: phase '{}' starts at step {}, expected {}", phase.name,
             phase.first_step, next);
      next = phase.end_step;
      if (phase.section != section) check_nothing_under_way();
      section = phase.section;
      for (int step = phase.first_step; step < phase.end_step; ++step) {
        place_ = fmt::format("phase '{}' instance {}, step {}", phase.name, phase.instance, step);
        check_step(program_.steps[step]);
      }
    }
    check_nothing_under_way();
    ensure(next == static_cast<std::int32_t>(program_.steps.size()), "program: {} steps belong to no phase",
           program_.steps.size() - next);
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      ensure(slots_[slot] != SlotState::written, "program: nothing reads slot '{}' after its last write",
             program_.slots[slot].name);
    }
  }

 private:
  enum class SlotState : std::uint8_t { empty, written, read };
  enum class RowState : std::uint8_t { empty, stored, loaded };
  // The transfers of a slot that are under way.
  struct Transfers {
    bool loading = false, storing = false;
    Queue queue{};
    bool none() const { return !loading && !storing; }
  };

  void check_step(const Step& step) {
    if (step.kind == StepKind::wait) return check_wait(step.slot);
    if (is_transfer(step)) check_transfer(step);
    if (step.kind == StepKind::gather) expect_bytes(step.target, program_.replicas * bytes(step.slot));
    if (step.kind == StepKind::reduce_scatter) expect_bytes(step.slot, program_.replicas * bytes(step.target));
    const Access access = access_of(program_, step);
    for (int slot : access.reads) {
      ensure(!transfers_[slot].loading, "program: {} reads slot '{}' before a wait for its load", place_, name(slot));
      ensure(slots_[slot] != SlotState::empty, "program: {} reads slot '{}' before it is written", place_, name(slot));
      slots_[slot] = SlotState::read;
    }
    for (int slot : access.writes) {
      ensure(!transfers_[slot].loading, "program: {} writes slot '{}' before a wait for its load", place_, name(slot));
      ensure(!transfers_[slot].storing || step.kind == StepKind::load,
             "program: {} writes slot '{}' before a wait for its store", place_, name(slot));
      ensure(slots_[slot] != SlotState::written, "program: {} overwrites slot '{}', which nothing has read", place_,
             name(slot));
      slots_[slot] = SlotState::written;
    }
    if (is_transfer(step)) note_transfer(step);
  }

  void note_transfer(const Step& step) {
    Transfers& transfers = transfers_[step.slot];
    const Queue queue = program_.queue_of(step);
    ensure(transfers.none() || transfers.queue == queue,
           "program: {} transfers slot '{}' before a wait for its transfer through another queue", place_,
           name(step.slot));
    transfers =
        step.issues
            ? Transfers{.loading = step.kind == StepKind::load, .storing = step.kind == StepKind::store, .queue = queue}
            : Transfers{};
  }

  void check_wait(int slot) {
    ensure(!transfers_[slot].none(), "program: {} waits for slot '{}', of which no transfer is under way", place_,
           name(slot));
    transfers_[slot] = {};
  }

  void check_nothing_under_way() const {
    for (std::size_t slot = 0; slot < transfers_.size(); ++slot) {
      ensure(transfers_[slot].none(), "program: nothing waits for the transfer of slot '{}' in its section",
             program_.slots[slot].name);
    }
  }

  void check_transfer(const Step& step) {
    const Buffer& buffer = program_.buffers[step.buffer];
    ensure(step.row >= 0 && step.row < buffer.spec.rows, "program: {} uses row {} of buffer '{}', which has {}", place_,
           step.row, buffer.spec.name, buffer.spec.rows);
    expect_bytes(step.slot, buffer.spec.row.bytes());
    if (buffer.origin != Origin::program) {
      ensure(step.kind == StepKind::load || buffer.origin == Origin::state, "program: {} stores to '{}', the host's",
             place_, buffer.spec.name);
      return;
    }
    RowState& row = rows_[step.buffer][step.row];
    if (step.kind == StepKind::store) {
      ensure(row != RowState::stored, "program: {} stores row {} of buffer '{}' again, which nothing has loaded",
             place_, step.row, buffer.spec.name);
      row = RowState::stored;
    } else {
      ensure(row != RowState::empty, "program: {} loads row {} of buffer '{}' before it is stored", place_, step.row,
             buffer.spec.name);
      row = RowState::loaded;
    }
  }

  void check_call(const Call& call) {
    const NamedGraph& named = program_.graphs[call.graph];
    const Graph& graph = named.graph;
    std::vector<Value> values = graph.inputs;
    values.insert(values.end(), graph.outputs.begin(), graph.outputs.end());
    ensure(call.slots.size() == values.size(), "program: graph '{}' is called on {} slots, expected {}", named.name,
           call.slots.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int slot = call.slots[i];
      ensure(bytes(slot) >= graph.spec(values[i]).bytes(), "program: graph '{}': slot '{}' of {} bytes holds {}",
             named.name, name(slot), bytes(slot), to_string(graph.spec(values[i])));
      if (i < graph.inputs.size()) continue;
      for (std::size_t other = 0; other < i; ++other) {
        if (call.slots[other] != slot) continue;
        ensure(other < graph.inputs.size() && may_overwrite(graph, values[i], values[other]),
               "program: graph '{}' writes slot '{}', which it still needs", named.name, name(slot));
      }
    }
  }

  const std::string& name(int slot) const { return program_.slots[slot].name; }
  std::int64_t bytes(int slot) const { return program_.slots[slot].bytes; }
  void expect_bytes(int slot, std::int64_t expected) const {
    ensure(bytes(slot) == expected, "program: {}: slot '{}' has {} bytes, expected {}", place_, name(slot), bytes(slot),
           expected);
  }

  const Program& program_;
  std::vector<SlotState> slots_;
  std::vector<Transfers> transfers_;         // of each slot
  std::vector<std::vector<RowState>> rows_;  // of each buffer, as this program has left them
  std::string place_;
};

}  // namespace

void check_program(const Program& program) { Checker(program).run(); }

}  // namespace phasor
