// In which order the devices of a pipeline pass micro-batches through their parts of the model.
#pragma once

#include <vector>

#include "engine/lower/units/options.h"

namespace phasor {

// Micro-batches [first, end) pass through a part, forward or backward.
struct Task {
  int part = 0;
  bool backward = false;
  int first = 0, end = 0;
  friend bool operator==(const Task&, const Task&) = default;
};

// Micro-batches that pass through a part together: all on a single device; one where everything is resident; where
// phases load what they need each time, as many as leave four groups for every device there is, or all where the
// schedule is sequential or sums are reproducible.
int group_of(const ExecutionOptions& execution);

// Of a device, in order. Each part sees the micro-batches in their order, forward and backward, so that sums over them
// do not depend on the schedule.
std::vector<Task> schedule_tasks(const ExecutionOptions& execution, int device);
// The same where nothing goes backward.
std::vector<Task> schedule_forward(const ExecutionOptions& execution, int device);

}  // namespace phasor
