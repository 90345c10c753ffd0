#include "engine/program/execute/runner.h"

#include <algorithm>
#include <functional>

#include "engine/program/check/checker.h"
#include "engine/program/memory/plan_checker.h"

namespace phasor {

Runner::Runner(Pipeline pipeline, Machine& machine, Strategy strategy, std::vector<NarrowPipeline> narrow)
    : pipeline_(std::move(pipeline)),
      machine_(machine),
      links_(pipeline_.links()),
      between_steps_(machine.replicas.count() * pipeline_.size()) {
  Replicas& replicas = machine.replicas;
  ensure(devices() <= replicas.devices(), "runner: a pipeline of {} devices on a machine of {}", devices(),
         replicas.devices());
  for (const Program& program : pipeline_.devices) {
    plans_.push_back(plan_program(program, replicas.threads_per_device(), strategy));
    check_plan(program, plans_.back(), replicas.threads_per_device());
    for (const Buffer& buffer : program.buffers) machine.memory.open(buffer.spec);
  }
  std::ranges::sort(narrow, {}, &NarrowPipeline::tokens);
  for (NarrowPipeline& one : narrow) add_width(std::move(one), strategy);
  make_channels();
  interpreters_.resize(static_cast<std::size_t>(replicas.count() * devices()));
  // On the devices' own threads, so that each first touches its own memory.
  replicas.run([&](int worker) {
    const int replica = worker / replicas.devices(), device = worker % replicas.devices();
    if (device >= devices()) return;
    interpreters_[place(replica, device)] = std::make_unique<Interpreter>(
        program(device), plan(device), machine_.memory, machine_.replicas.communicator(replica, device),
        channels_of(replica, program(device)), machine_.replicas.threads_per_device(), narrow_programs(device));
  });
}

void Runner::add_width(NarrowPipeline narrow, Strategy strategy) {
  check_narrow(pipeline_, narrow.pipeline);
  for (Program& program : narrow.pipeline.devices) program.steps = {};  // those of the whole one, which run
  const int threads = machine_.replicas.threads_per_device();
  Width width{.narrow = std::move(narrow), .workspaces = {}};
  for (int device = 0; device < devices(); ++device) {
    std::vector<MemoryPlan>& workspaces = width.workspaces.emplace_back();
    const Program& program = width.narrow.pipeline.devices[static_cast<std::size_t>(device)];
    for (std::size_t i = 0; i < program.graphs.size(); ++i) {
      workspaces.push_back(plan_workspace(program.graphs[i].graph, threads, strategy));
      check_workspace(program.graphs[i].graph, threads, workspaces.back());
      if (workspaces.back().peak_bytes > plan(device).workspaces[i].peak_bytes) return;
    }
  }
  widths_.push_back(std::move(width));
}

std::vector<NarrowProgram> Runner::narrow_programs(int device) const {
  std::vector<NarrowProgram> programs;
  const auto number = static_cast<std::size_t>(device);
  for (const Width& width : widths_) {
    programs.push_back({.program = width.narrow.pipeline.devices[number], .workspaces = width.workspaces[number]});
  }
  return programs;
}

int Runner::width_of(std::int64_t tokens) const {
  const auto found = std::ranges::find_if(widths_, [&](const Width& width) { return width.narrow.tokens >= tokens; });
  return found == widths_.end() ? 0 : static_cast<int>(found - widths_.begin()) + 1;
}

void Runner::make_channels() {
  for (int replica = 0; replica < machine_.replicas.count(); ++replica) {
    for (const Link& link : links_) channels_.push_back(std::make_unique<Channel>(link));
  }
}

std::vector<Channel*> Runner::channels_of(int replica, const Program& program) {
  std::vector<Channel*> channels;
  for (const Link& link : program.links) {
    const auto number = std::ranges::find(links_, link.name, &Link::name) - links_.begin();
    channels.push_back(channels_[static_cast<std::size_t>(replica * std::ssize(links_) + number)].get());
  }
  return channels;
}

// Functions of references need no memory of their own.
void Runner::run_all(const std::function<void(int replica, Interpreter&)>& work) {
  const auto work_of = [&](int worker) {
    const int all = machine_.replicas.devices(), replica = worker / all, device = worker % all;
    if (device < devices()) work(replica, *interpreters_[place(replica, device)]);
  };
  const auto abandon = [this] {
    for (const auto& channel : channels_) channel->abandon();
    between_steps_.abandon();
  };
  machine_.replicas.run(std::cref(work_of), std::cref(abandon));
}

void Runner::run(Section section, int micro_batches) {
  const auto work = [&](int, Interpreter& device) { device.run(section, micro_batches); };
  run_all(std::cref(work));
}

void Runner::run_steps(std::span<const int> micro_batches, std::span<const int> widths) {
  const auto of_replica = static_cast<std::size_t>(program().micro_batches);
  const std::size_t of_step = of_replica * static_cast<std::size_t>(machine_.replicas.count());
  ensure(widths.empty() || widths.size() == micro_batches.size() * of_step, "runner: {} widths for {} steps of {}",
         widths.size(), micro_batches.size(), of_step);
  const auto work = [&](int replica, Interpreter& device) {
    for (std::size_t i = 0; i < micro_batches.size(); ++i) {
      if (i > 0) between_steps_.wait();
      const std::size_t first = i * of_step + static_cast<std::size_t>(replica) * of_replica;
      device.run(Section::step, micro_batches[i], static_cast<int>(i),
                 widths.empty() ? widths : widths.subspan(first, of_replica));
    }
  };
  run_all(std::cref(work));
}

void Runner::start_trace(int steps) {
  stop_trace();
  traces_.clear();
  for (std::size_t i = 0; i < interpreters_.size(); ++i) {
    const Program& traced = program(static_cast<int>(i) % devices());
    const std::size_t spans = (traced.phases.size() + traced.steps.size()) * static_cast<std::size_t>(steps);
    traces_.push_back(std::make_unique<TraceSink>(std::max<std::size_t>(1, spans)));
    interpreters_[i]->trace(traces_.back().get());
  }
}

void Runner::stop_trace() {
  for (const auto& interpreter : interpreters_) interpreter->trace(nullptr);
}

std::vector<TraceSpan> Runner::trace(int replica, int device) const {
  return traces_.empty() ? std::vector<TraceSpan>{} : traces_[place(replica, device)]->spans();
}

void Runner::observe(std::span<CallObserver* const> of_devices) {
  for (std::size_t device = 0; device < interpreters_.size(); ++device) {
    interpreters_[device]->observe(of_devices.empty() ? nullptr : of_devices[device]);
  }
}

void Runner::before_state_changes(const std::function<void()>& wait) {
  for (const auto& interpreter : interpreters_) interpreter->before_state_changes(wait);
}

int Runner::fullest_device() const {
  return static_cast<int>(std::ranges::max_element(plans_, {}, &ProgramPlan::peak_bytes) - plans_.begin());
}

std::int64_t Runner::high_water_bytes(int device) const {
  std::int64_t bytes = 0;
  for (int replica = 0; replica < machine_.replicas.count(); ++replica) {
    bytes = std::max(bytes, interpreter(replica, device).high_water_bytes());
  }
  return bytes;
}

std::int64_t Runner::high_water_bytes() const {
  std::int64_t bytes = 0;
  for (int device = 0; device < devices(); ++device) bytes = std::max(bytes, high_water_bytes(device));
  return bytes;
}

}  // namespace phasor
