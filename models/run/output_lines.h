// The lines that a run writes of its steps, as execution.outputs has it.
#pragma once

#include <optional>

#include "models/fields/step_outputs.h"
#include "models/report/metrics_log.h"

namespace phasor::run {

class OutputLines {
 public:
  explicit OutputLines(const StepOutputs& outputs) : outputs_(outputs) {}

  // How the host comes to know of a step.
  struct Seen {
    bool ends_iterations = true;  // it was the last before the host had its turn
    bool is_wanted = false;       // it has to have a line, whatever the outputs
  };
  // Takes the next step; returns the line that ends with it, if one does. A line counts the steps without one in front
  // of it: their samples and what they waited.
  std::optional<StepMetrics> add(const StepMetrics& step, const Seen& seen);
  // The line of the steps behind the last one, if there are any: at the end.
  std::optional<StepMetrics> rest();

 private:
  bool ends_line(const StepMetrics& step, const Seen& seen) const;
  StepMetrics end_line(StepMetrics line);

  StepOutputs outputs_;
  StepMetrics open_{.steps = 0};  // the line so far
  double losses_ = 0;             // of its steps
};

}  // namespace phasor::run
