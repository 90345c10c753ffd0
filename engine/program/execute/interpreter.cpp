#include "engine/program/execute/interpreter.h"

#include <algorithm>

#include "engine/program/execute/stopwatch.h"

namespace phasor {

Interpreter::Interpreter(const Program& program, const ProgramPlan& plan, RemoteMemory& memory,
                         Communicator& communicator, std::vector<Channel*> channels, int threads,
                         std::span<const NarrowProgram> narrow)
    : program_(program),
      plan_(plan),
      communicator_(communicator),
      channels_(std::move(channels)),
      arena_(allocate_zeroed(plan.peak_bytes)),
      rows_(program.slots.size()),
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

}  // namespace phasor
