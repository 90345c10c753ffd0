// The phases in which a device takes micro-batches forward through its parts of the model, in training and without.
#pragma once

#include <algorithm>

#include "engine/lower/phase_builder.h"
#include "engine/lower/schedule.h"

namespace phasor {

// Calls visit(run) for what the device has of the model, in order.
template <class Visit>
void for_runs(const LoweringContext& context, Visit visit) {
  for (const Part& part : context.parts) {
    if (part.device == context.device) std::ranges::for_each(part.runs, visit);
  }
}
// From the last to the first.
template <class Visit>
void for_runs_backwards(const LoweringContext& context, Visit visit) {
  std::for_each(context.parts.rbegin(), context.parts.rend(), [&](const Part& part) {
    if (part.device == context.device) std::for_each(part.runs.rbegin(), part.runs.rend(), visit);
  });
}

// Shorter runs leave out the groups behind them: of those, whatever stands outside of loops, too.
inline int served_by(const Task& task) { return task.first == 0 ? -1 : task.first; }

// What a resident part's graphs read of the variables.
struct PreparedWeights {
  GraphWeights forward, gradient;
};

class ForwardPhases {
 public:
  explicit ForwardPhases(const LoweringContext& context);

  // Where parts are resident and there are several: makes what their graphs read whole, and lays it out, once for all
  // micro-batches of the step. Else nothing.
  void prepare();
  // Of a unit that is the device's; null: each phase does so for itself.
  const PreparedWeights* prepared(int unit) const { return prepares_ ? &weights_[unit] : nullptr; }

  // A phase of each instance of the task's part, in order, but where an instance's forward part runs with its gradient.
  void run(const Task& task) const;

 private:
  void run_instance(const Task& task, const UnitRun& run, int n) const;

  const LoweringContext& context_;
  bool prepares_;
  std::vector<PreparedWeights> weights_;  // of each unit
};

}  // namespace phasor
