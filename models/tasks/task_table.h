// The tasks that there are.
#pragma once

#include <memory>

#include "models/config/resolved_run.h"
#include "models/run/task.h"

namespace phasor::tasks {

// That of the configuration.
std::unique_ptr<const run::Task> make_task(const run::ResolvedRun& config);

}  // namespace phasor::tasks
