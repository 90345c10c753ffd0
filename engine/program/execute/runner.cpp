#include "engine/program/execute/runner.h"

#include <algorithm>
#include <functional>

#include "engine/program/memory/plan_checker.h"

namespace phasor {

Runner::Runner(Program program, Machine& machine, Strategy strategy)
    : program_(std::move(program)),
      plan_(plan_program(program_, machine.replicas.threads_per_replica(), strategy)),
      machine_(machine),
      interpreters_(static_cast<std::size_t>(machine.replicas.count())) {
  check_plan(program_, plan_, machine.replicas.threads_per_replica());
  for (const Buffer& buffer : program_.buffers) machine.memory.open(buffer.spec);
  // On the replicas' own threads, so that each first touches its own memory.
  machine.replicas.run([&](int rank) {
    interpreters_[rank] =
        std::make_unique<Interpreter>(program_, plan_, machine_.memory, machine_.replicas.communicator(rank),
                                      machine_.replicas.threads_per_replica(), strategy);
  });
}

void Runner::run(Section section, int micro_batches) {
  const auto work = [&](int rank) { interpreters_[rank]->run(section, micro_batches); };
  machine_.replicas.run(std::cref(work));  // as a function that is small enough to need no memory of its own
}

void Runner::start_trace(int steps) {
  const std::size_t spans = program_.phases.size() + program_.steps.size();
  stop_trace();
  traces_.clear();
  for (const auto& interpreter : interpreters_) {
    traces_.push_back(std::make_unique<TraceSink>(std::max<std::size_t>(1, spans * static_cast<std::size_t>(steps))));
    interpreter->trace(traces_.back().get());
  }
}

void Runner::stop_trace() {
  for (const auto& interpreter : interpreters_) interpreter->trace(nullptr);
}

std::vector<TraceSpan> Runner::trace(int replica) const {
  return traces_.empty() ? std::vector<TraceSpan>{} : traces_[static_cast<std::size_t>(replica)]->spans();
}

void Runner::observe(std::span<CallObserver* const> of_replicas) {
  for (std::size_t rank = 0; rank < interpreters_.size(); ++rank) {
    interpreters_[rank]->observe(of_replicas.empty() ? nullptr : of_replicas[rank]);
  }
}

void Runner::before_state_changes(const std::function<void()>& wait) {
  for (const auto& interpreter : interpreters_) interpreter->before_state_changes(wait);
}

std::int64_t Runner::high_water_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& interpreter : interpreters_) bytes = std::max(bytes, interpreter->high_water_bytes());
  return bytes;
}

}  // namespace phasor
