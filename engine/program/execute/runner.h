// A program loaded on all replicas of a machine.
#pragma once

#include <memory>
#include <vector>

#include "engine/program/execute/interpreter.h"
#include "engine/program/execute/replicas.h"

namespace phasor {

// What programs run on: the replicas and the remote memory that they share.
struct Machine {
  Machine(std::unique_ptr<Store> store, int replica_count, int threads_per_replica)
      : memory(std::move(store), replica_count), replicas(replica_count, threads_per_replica) {}
  RemoteMemory memory;
  Replicas replicas;
};

class Runner {
 public:
  // Plans the program, which is sound, and proves the plan; then opens the program's buffers and reserves an arena on
  // every replica. The machine outlives the runner.
  Runner(Program program, Machine& machine, Strategy strategy = Strategy::best);

  // Runs a section on every replica, for so many micro-batches (Interpreter::run), and returns when all are done.
  void run(Section section, int micro_batches);
  void run(Section section) { run(section, program_.micro_batches); }

  // From now on records what the replicas do, in memory that is reserved here and has room for `steps` runs of all
  // sections: what is older goes. Interpreter::trace says what is recorded. Only between runs.
  void start_trace(int steps);
  void stop_trace();
  // What a replica has recorded since start_trace. Only between runs.
  std::vector<TraceSpan> trace(int replica) const;

  // Tells each replica's observer of its calls; none: nobody. Only between runs; the observers outlive their use.
  void observe(std::span<CallObserver* const> of_replicas);

  // As Interpreter's, on every replica.
  void before_state_changes(const std::function<void()>& wait);

  const Program& program() const { return program_; }
  const ProgramPlan& plan() const { return plan_; }
  // Of the replica that got furthest; equal to plan().peak_bytes once every section has run.
  std::int64_t high_water_bytes() const;
  // Of replica 0, since the start.
  const TimeSpent& time_spent() const { return interpreters_[0]->time_spent(); }

 private:
  Program program_;
  ProgramPlan plan_;
  Machine& machine_;
  std::vector<std::unique_ptr<TraceSink>> traces_;          // one a replica, or none; the interpreters use them
  std::vector<std::unique_ptr<Interpreter>> interpreters_;  // one a replica
};

}  // namespace phasor
