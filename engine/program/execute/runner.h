// A pipeline loaded on all replicas of a machine.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/program/execute/interpreter.h"
#include "engine/program/execute/meeting.h"
#include "engine/program/execute/replicas.h"
#include "engine/program/pipeline.h"

namespace phasor {

// What programs run on: the replicas, each of so many devices, and the remote memory that they share.
struct Machine {
  Machine(std::unique_ptr<Store> store, int replica_count, int threads_per_device, int devices = 1)
      : memory(std::move(store), replica_count), replicas(replica_count, threads_per_device, devices) {}
  RemoteMemory memory;
  Replicas replicas;
};

class Runner {
 public:
  // Plans the programs, which are sound, and proves the plans; then opens the programs' buffers and reserves an arena
  // on every device and the room of the links. The machine, which has as many devices or more, outlives the runner.
  // Narrow pipelines that would need more room than the whole one are left out.
  Runner(Pipeline pipeline, Machine& machine, Strategy strategy = Strategy::best,
         std::vector<NarrowPipeline> narrow = {});
  // On one device of each replica.
  Runner(Program program, Machine& machine, Strategy strategy = Strategy::best)
      : Runner(Pipeline(std::move(program)), machine, strategy) {}

  // Runs a section on every device, for so many micro-batches (Interpreter::run), and returns when all are done.
  void run(Section section, int micro_batches);
  // Section `step` as often as there are numbers, for so many micro-batches each, on the steps that the host has
  // prepared (BufferSpec::iterations); returns when all are done. Devices begin each together: between two the remote
  // memory is as after one.
  // `widths` has, for each step, those of each replica's micro-batches, program().micro_batches of them (width_of);
  // none: all are whole.
  void run_steps(std::span<const int> micro_batches, std::span<const int> widths = {});
  // Of a micro-batch whose rows have so many tokens: which is the narrowest pipeline with room for them. 0: the whole.
  int width_of(std::int64_t tokens) const;
  void run(Section section) { run(section, program().micro_batches); }

  // From now on records what the devices do, in memory that is reserved here and has room for `steps` runs of all
  // sections: what is older goes. Interpreter::trace says what is recorded. Only between runs.
  void start_trace(int steps);
  void stop_trace();
  // What a replica's device has recorded since start_trace. Only between runs.
  std::vector<TraceSpan> trace(int replica, int device = 0) const;

  // Tells the observer of each device, all of the first replica's first, of its calls; none: nobody. Only between runs;
  // the observers outlive their use.
  void observe(std::span<CallObserver* const> of_devices);

  // As Interpreter's, on every device.
  void before_state_changes(const std::function<void()>& wait);

  int devices() const { return pipeline_.size(); }
  const Pipeline& pipeline() const { return pipeline_; }
  const std::vector<ProgramPlan>& plans() const { return plans_; }
  const Program& program(int device = 0) const { return pipeline_.devices[static_cast<std::size_t>(device)]; }
  const ProgramPlan& plan(int device = 0) const { return plans_[static_cast<std::size_t>(device)]; }
  // The device that takes most, and what is planned for it.
  int fullest_device() const;
  std::int64_t peak_bytes() const { return plan(fullest_device()).peak_bytes; }
  // Of the replica whose device got furthest; equal to plan(device).peak_bytes once every section has run.
  std::int64_t high_water_bytes(int device) const;
  // Of the device that got furthest.
  std::int64_t high_water_bytes() const;
  // Of replica 0's device, since the start.
  const TimeSpent& time_spent(int device = 0) const { return interpreter(0, device).time_spent(); }

 private:
  std::size_t place(int replica, int device) const { return static_cast<std::size_t>(replica * devices() + device); }
  const Interpreter& interpreter(int replica, int device) const { return *interpreters_[place(replica, device)]; }
  // A narrow pipeline and the plans of its graphs' workspaces, on each device.
  struct Width {
    NarrowPipeline narrow;
    std::vector<std::vector<MemoryPlan>> workspaces;
  };
  void add_width(NarrowPipeline narrow, Strategy strategy);
  std::vector<NarrowProgram> narrow_programs(int device) const;
  void make_channels();
  void run_all(const std::function<void(int replica, Interpreter&)>& work);
  std::vector<Channel*> channels_of(int replica, const Program& program);

  Pipeline pipeline_;
  std::vector<ProgramPlan> plans_;  // of each device
  std::vector<Width> widths_;       // from the narrowest on
  Machine& machine_;
  std::vector<Link> links_;
  std::vector<std::unique_ptr<Channel>> channels_;  // of each replica and link
  Meeting between_steps_;
  std::vector<std::unique_ptr<TraceSink>> traces_;          // one a device of each replica, or none
  std::vector<std::unique_ptr<Interpreter>> interpreters_;  // likewise; they use the rest
};

}  // namespace phasor
