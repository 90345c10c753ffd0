#include "engine/program/execute/interpreter.h"

#include <algorithm>

#include "engine/base/copy.h"
#include "engine/collective/partial_sums.h"
#include "engine/program/execute/stopwatch.h"

namespace phasor {

namespace {

template <class T>
std::span<T> as_elements(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace

Interpreter::Interpreter(const Program& program, const ProgramPlan& plan, RemoteMemory& memory,
                         Communicator& communicator, std::vector<Channel*> channels, int threads,
                         std::span<const NarrowProgram> narrow)
    : program_(program),
      plan_(plan),
      communicator_(communicator),
      channels_(std::move(channels)),
      arena_(allocate_zeroed(plan.peak_bytes)),
      pending_(program.slots.size()) {
  const bool issues = std::ranges::any_of(program.steps, &Step::issues);
  for (auto& queue : queues_) queue = issues ? async_transfer_queue() : inline_transfer_queue();
  for (const Buffer& buffer : program.buffers) buffers_.push_back(&memory[buffer.spec.name]);
  time_.phases.resize(program.phases.size());
  widths_.push_back(ready(program, plan.workspaces, threads));
  for (const NarrowProgram& one : narrow) widths_.push_back(ready(one.program, one.workspaces, threads));
}

Interpreter::Width Interpreter::ready(const Program& program, const std::vector<MemoryPlan>& workspaces, int threads) {
  Width width{.program = &program, .executables = {}};
  for (std::size_t i = 0; i < program.graphs.size(); ++i) {
    width.executables.emplace_back(program.graphs[i].graph, threads, workspaces[i]);
  }
  return width;
}

std::byte* Interpreter::place(int slot) {
  high_water_ = std::max(high_water_, plan_.slot_offsets[slot] + align_up(program_.slots[slot].bytes));
  return arena_.get() + plan_.slot_offsets[slot];
}

std::span<std::byte> Interpreter::bytes(int slot) {
  return {place(slot), static_cast<std::size_t>(width_->program->slots[slot].bytes)};
}

void Interpreter::run(Section section, int micro_batches, int iteration, std::span<const int> widths) {
  ensure(micro_batches >= 1 && micro_batches <= program_.micro_batches,
         "interpreter: a run of {} micro-batches of a program for {}", micro_batches, program_.micro_batches);
  ensure(widths.empty() || std::ssize(widths) >= micro_batches, "interpreter: {} widths for {} micro-batches",
         widths.size(), micro_batches);
  for (const int width : widths) {
    ensure(width >= 0 && width < std::ssize(widths_), "interpreter: width {} of {}", width, widths_.size());
  }
  micro_batches_ = micro_batches;
  iteration_ = iteration;
  for (std::size_t i = 0; i < program_.phases.size(); ++i) {
    const Phase& phase = program_.phases[i];
    if (phase.section != section) continue;
    phase_ = &phase;
    const Stopwatch watch(time_.phases[i]);
    const TraceScope scope({trace_, ~static_cast<std::int32_t>(i)});
    try {
      for (number_ = phase.first_step; number_ < phase.end_step; ++number_) {
        const Step step = program_.steps[number_];
        if (step.micro_batch >= micro_batches) continue;
        const bool serves_all = step.micro_batch < 0 || widths.empty();
        width_ = &widths_[static_cast<std::size_t>(serves_all ? 0 : widths[step.micro_batch])];
        run_step(step);
      }
    } catch (const InternalError& error) {
      abandon_transfers();
      throw InternalError(fmt::format("{}: {}", place_of_step(phase), error.what()));
    } catch (const UserError& error) {
      abandon_transfers();
      throw UserError(fmt::format("{}: {}", place_of_step(phase), error.what()));
    } catch (...) {
      abandon_transfers();
      throw;
    }
  }
}

// Of the step that runs, for people.
std::string Interpreter::place_of_step(const Phase& phase) const {
  const Step step = program_.steps[number_];
  const std::string device = program_.links.empty() ? "" : fmt::format("device {}, ", program_.device);
  const std::string place = fmt::format("{}phase '{}' instance {}", device, phase.name, phase.instance);
  if (step.kind != StepKind::call) return place;
  return fmt::format("{}, graph '{}'", place, program_.graphs[program_.calls[step.call].graph].name);
}

TraceMark Interpreter::mark() const { return {trace_, number_}; }

void Interpreter::run_step(const Step& step) {
  switch (step.kind) {
    case StepKind::load:
    case StepKind::store:
      transfer(step);
      break;
    case StepKind::wait: {
      const Stopwatch watch(time_.transfer);
      const TraceScope scope(mark());
      wait(step.slot);
      break;
    }
    case StepKind::send: {
      const TraceScope scope(mark());
      send(step);
      break;
    }
    case StepKind::receive: {
      const TraceScope scope(mark());
      receive(step);
      break;
    }
    case StepKind::gather: {
      const Stopwatch watch(time_.collective);
      const TraceScope scope(mark());
      communicator_.all_gather(bytes(step.slot), bytes(step.target));
      break;
    }
    case StepKind::reduce_scatter: {
      const Stopwatch watch(time_.collective);
      const TraceScope scope(mark());
      communicator_.reduce_scatter_partials(as_elements<float>(bytes(step.slot)), leaves(step),
                                            as_elements<float>(bytes(step.target)));
      break;
    }
    case StepKind::all_reduce: {
      const Stopwatch watch(time_.collective);
      const TraceScope scope(mark());
      communicator_.all_reduce_partials(as_elements<float>(bytes(step.slot)), leaves(step),
                                        as_elements<float>(bytes(step.partials ? step.target : step.slot)));
      break;
    }
    case StepKind::add_leaf: {
      const Stopwatch watch(time_.compute);
      const TraceScope scope(mark());
      const int first = LeafRun::of(communicator_.rank(), micro_batches_).first;
      phasor::add_leaf(as_elements<float>(bytes(step.target)), {first, first + step.micro_batch},
                       as_elements<float>(bytes(step.slot)));
      break;
    }
    case StepKind::zero: {
      const TraceScope scope(mark());
      clear_bytes(bytes(step.slot));
      break;
    }
    case StepKind::call: {
      const Program& program = *width_->program;
      const Call& call = program.calls[step.call];
      tensors_.clear();
      for (std::size_t i = 0; i < call.slots.size(); ++i) tensors_.push_back(place(call.slots[i]) + call.offset(i));
      const std::int64_t workspace = plan_.workspace_offsets[call.graph];
      high_water_ = std::max(high_water_, workspace + plan_.workspaces[call.graph].peak_bytes);
      const Stopwatch watch(time_.compute);
      const TraceScope scope(mark());
      if (observer_ != nullptr) {
        observer_->call({.program = program,
                         .phase = *phase_,
                         .graph = program.graphs[call.graph],
                         .replica = communicator_.rank(),
                         .micro_batch = step.micro_batch,
                         .micro_batches = micro_batches_});
      }
      width_->executables[call.graph].run(tensors_, arena_.get() + workspace, observer_);
      break;
    }
  }
}

}  // namespace phasor
