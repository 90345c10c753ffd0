// A program: what one device of a replica does in a training or inference step, as plain data. A flat list of steps
// over remote buffers and device slots, without loops or branches; every replica runs the same list. A run may have
// fewer micro-batches than the program: it leaves out the steps of the others. The checker, the planner, the
// interpreter and the printer read it.
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/program/content.h"
#include "engine/program/steps.h"
#include "engine/remote/remote_buffer.h"

namespace phasor {

// Who writes a buffer's rows before the program reads them.
enum class Origin : std::uint8_t {
  state,    // variables and moments: initialised or restored once, kept from step to step
  host,     // the batch and the numbers of the step: written by the host before each step
  program,  // the program itself, within the step
};

// The queues that transfers under way go through, each in the order of issue. Rows of micro-batches are small and soon
// needed: they do not stand in line behind a layer's weights.
enum class Queue : std::uint8_t { micro_batch, bulk };
inline constexpr int kQueues = 2;

struct Buffer {
  BufferSpec spec;
  Origin origin{};
  Queue queue{};  // of all its rows, so that a load follows the stores of its row
};

// Carries messages from one device of a replica to another, in the order in which they are sent. Programs of the two
// devices know it by its name.
struct Link {
  std::string name;
  int from = 0, to = 0;       // devices
  std::int64_t bytes = 0;     // of a message, at most
  std::int32_t capacity = 1;  // messages that may be under way; sending one more waits
  friend bool operator==(const Link&, const Link&) = default;
};

// A place in the device memory or, mapped, in remote memory.
struct Slot {
  std::string name;   // among those of its phases: "w.output.weight"
  std::string phase;  // the name of the phases that share it, "gradient layer", or of what else does; "": the program's
  Content content{};
  std::int64_t bytes = 0;
  std::int32_t copy = -1;  // its number among the copies that take turns (overlap/prefetch.h); -1: there are none
  // Whether it lies in remote memory, in the row that it is loaded from or stored to (mapping/map_rows.h): loads and
  // stores of it move nothing, and it takes no room in the arena.
  bool mapped = false;

  std::int64_t arena_bytes() const { return mapped ? 0 : bytes; }
};

// "x#1".
std::string name_in_phase(const Slot& slot);
// "gradient layer/x#1".
std::string to_string(const Slot& slot);

// What a graph does in the training step.
enum class GraphKind : std::uint8_t {
  forward,
  gradient,    // a unit's forward part, where it is made again, and its backward part
  update,      //
  pack,        // weights, laid out for products
  square_sum,  // of gradients
  clip,        // the factor of all gradients
};
// "square sum".
std::string_view to_string(GraphKind kind);

struct NamedGraph {
  std::string name;
  GraphKind kind{};
  Graph graph;
};

// A graph applied to slots: its inputs', then its outputs'. An output may name the slot of an input that it overwrites.
struct Call {
  std::int32_t graph = -1;
  std::vector<std::int32_t> slots;
  std::vector<std::int64_t> offsets;  // of each tensor within its slot, in bytes; none: all at its beginning

  std::int64_t offset(std::size_t i) const { return offsets.empty() ? 0 : offsets[i]; }
  friend auto operator<=>(const Call&, const Call&) = default;
};

// When a phase runs: `begin` once before the first step, `step` in each step, `end` when the state must be in the
// remote buffers (a checkpoint, an evaluation, the end of the run).
enum class Section : std::uint8_t { begin, step, end };
inline constexpr int kSections = 3;

struct Phase {
  std::string name;  // "gradient layer"
  int instance = 0;  // of the stage
  int instances = 1;
  Section section{};
  std::int32_t first_step = 0, end_step = 0;  // [first, end)
};

struct Program {
  std::string name;
  int replicas = 1;
  int micro_batches = 1;  // of a replica, at most
  int device = 0;         // of the replica's, which runs it
  std::vector<Buffer> buffers;
  std::vector<Link> links;
  std::vector<Slot> slots;
  std::vector<NamedGraph> graphs;
  std::vector<Call> calls;
  std::vector<Phase> phases;  // in the order of their steps: all of begin, then step, then end
  Steps steps;

  Queue queue_of(const Step& transfer) const { return buffers[transfer.buffer].queue; }
  const Graph& graph_of(const Call& call) const { return graphs[call.graph].graph; }
};

constexpr bool is_transfer(const Step& step) { return step.kind == StepKind::load || step.kind == StepKind::store; }

// Of a message, that a send or receive moves: as much of the slot as fits into it.
std::int64_t message_bytes(const Program& program, const Step& step);

constexpr bool is_message(const Step& step) { return step.kind == StepKind::send || step.kind == StepKind::receive; }

}  // namespace phasor

template <>
struct fmt::formatter<phasor::Slot> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const phasor::Slot& slot, Context& context) const {
    return fmt::formatter<std::string_view>::format(to_string(slot), context);
  }
};
