// Runs a program on one device of a replica.
#pragma once

#include <array>
#include <functional>

#include "engine/base/trace.h"
#include "engine/collective/communicator.h"
#include "engine/program/execute/call_observer.h"
#include "engine/program/execute/channel.h"
#include "engine/program/memory/program_plan.h"
#include "engine/program/program.h"
#include "engine/remote/transfer_queue.h"
#include "engine/runtime/executable.h"

namespace phasor {

// Seconds that a device's thread spent, by what it did and, once more, by the phase it was in.
struct TimeSpent {
  double compute = 0;          // in calls
  double transfer = 0;         // stalled: in loads, stores and waits for them
  double collective = 0;       // in collectives, waiting for the others included
  double idle = 0;             // waiting for what other devices send, or for them to take what it sends
  std::vector<double> phases;  // of each of the program's phases
};

// A program of fewer tokens in the place of a whole one (check_narrow), with the plans of its graphs' workspaces, which
// need no more room.
struct NarrowProgram {
  const Program& program;
  const std::vector<MemoryPlan>& workspaces;
};

// A device: the arena, the executables and the slots in it. Its thread alone uses it; transfers that a
// program issues run on threads of their queues.
class Interpreter {
 public:
  // Reserves the arena of plan.peak_bytes. The program, the plan, the memory, the communicator and the channels, one
  // for each of the program's links, outlive it, and so do the narrow programs. Plans were made for `threads`, and are
  // sound (memory/plan_checker.h).
  Interpreter(const Program& program, const ProgramPlan& plan, RemoteMemory& memory, Communicator& communicator,
              std::vector<Channel*> channels, int threads, std::span<const NarrowProgram> narrow = {});

  // Runs the phases of one section, for so many micro-batches: from one to as many as the program has. `iteration`:
  // which of the steps that the host has prepared, where it prepares several. `widths`: of each micro-batch, the narrow
  // program that it takes, counted from 1, or 0 for the whole; none: the whole for all. But for these every replica
  // runs the same. An error names the phase and, where it comes of a call, the graph and its node; transfers that were
  // under way are then done or given up.
  void run(Section section, int micro_batches, int iteration = 0, std::span<const int> widths = {});
  void run(Section section) { run(section, program_.micro_batches); }

  // `wait` is called before every store to the remote rows of variables and moments, and before every call that changes
  // them where they lie, so that somebody who reads them can hold it up. Replicas call theirs on their own threads; the
  // time counts as transfer.
  void before_state_changes(std::function<void()> wait) { before_state_changes_ = std::move(wait); }

  const TimeSpent& time_spent() const { return time_; }
  // From now on records every step but the issuing of transfers, which their queues record when they do them, as the
  // step's number in the program, and every phase as ~ its number. nullptr: no longer. Only between runs; the sink
  // outlives its use.
  void trace(TraceSink* sink) { trace_ = sink; }
  // From now on tells of every call. nullptr: no longer. Only between runs; the observer outlives its use.
  void observe(CallObserver* observer) { observer_ = observer; }
  // The end of the highest byte of the arena that a step has used so far.
  std::int64_t high_water_bytes() const { return high_water_; }

 private:
  void run_step(const Step& step);
  int leaves(const Step& sum) const { return sum.partials ? micro_batches_ : 1; }
  void transfer(const Step& step);
  std::byte* row_of(const Step& transfer);
  void map_outputs(const Call& call);
  void await_state_change(const Step& store);
  void wait(int slot);
  void send(const Step& step);
  void receive(const Step& step);
  void call(const Step& step);
  std::string place_of_step(const Phase& phase) const;
  TraceMark mark() const;  // of the step that runs
  void abandon_transfers();
  // What a micro-batch of that width runs.
  struct Width {
    const Program* program;
    std::vector<Executable> executables;  // of its graphs
  };
  static Width ready(const Program& program, const std::vector<MemoryPlan>& workspaces, int threads);
  std::byte* place(int slot);
  std::span<std::byte> bytes(int slot);

  const Program& program_;
  const ProgramPlan& plan_;
  Communicator& communicator_;
  std::vector<Channel*> channels_;
  std::vector<RemoteBuffer*> buffers_;
  std::vector<Width> widths_;  // the whole program first
  AlignedBytes arena_;
  std::vector<std::byte*> rows_;  // of each mapped slot: the row in which it lies now
  // After the arena, which transfers under way use: the queues end first.
  std::array<std::unique_ptr<TransferQueue>, kQueues> queues_;
  // Of each slot, the last transfer that nothing has waited for.
  struct Pending {
    TransferQueue* queue = nullptr;
    TransferQueue::Ticket ticket = 0;
  };
  std::vector<Pending> pending_;
  std::vector<std::byte*> tensors_;  // of the call under way
  TraceSink* trace_ = nullptr;
  CallObserver* observer_ = nullptr;
  std::function<void()> before_state_changes_;
  TimeSpent time_;
  std::int64_t high_water_ = 0;
  Width* width_ = nullptr;        // of the step that runs
  int micro_batches_ = 0;         // of the run
  int iteration_ = 0;             // likewise
  std::int32_t number_ = 0;       // of the step that runs
  const Phase* phase_ = nullptr;  // in which it stands
};

}  // namespace phasor
