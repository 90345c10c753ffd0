// A program loaded on all replicas of a machine.
#pragma once

#include <memory>
#include <vector>

#include "engine/program/interpreter.h"
#include "engine/program/replicas.h"

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
  // Opens the program's buffers, plans it, and reserves an arena on every replica. The machine outlives the runner.
  Runner(Program program, Machine& machine, Strategy strategy = Strategy::best);

  // Runs a section on every replica and returns when all are done.
  void run(Section section);

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
  std::vector<std::unique_ptr<Interpreter>> interpreters_;  // one a replica
};

}  // namespace phasor
