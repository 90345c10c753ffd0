#include "models/run/output_lines.h"

#include <utility>

namespace phasor::run {

bool OutputLines::ends_line(const StepMetrics& step, const Seen& seen) const {
  switch (outputs_.kind) {
    case StepOutputs::Kind::all:
      return true;
    case StepOutputs::Kind::final:
    case StepOutputs::Kind::sum:
      return seen.ends_iterations;
    case StepOutputs::Kind::every:
      return seen.is_wanted || step.step % outputs_.every == 0;
  }
  return true;
}

std::optional<StepMetrics> OutputLines::add(const StepMetrics& step, const Seen& seen) {
  StepMetrics line = step;
  line.steps += open_.steps;
  line.samples += open_.samples;
  line.stall_seconds += open_.stall_seconds;
  losses_ += step.loss;
  if (ends_line(step, seen)) return end_line(std::move(line));
  open_ = std::move(line);
  return std::nullopt;
}

std::optional<StepMetrics> OutputLines::rest() {
  return open_.steps > 0 ? std::optional(end_line(open_)) : std::nullopt;
}

StepMetrics OutputLines::end_line(StepMetrics line) {
  if (outputs_.kind == StepOutputs::Kind::sum) {
    line.loss_sum = losses_;
    line.loss = losses_ / static_cast<double>(line.steps);
  }
  open_ = {.steps = 0};
  losses_ = 0;
  return line;
}

}  // namespace phasor::run
