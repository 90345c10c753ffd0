#include "models/plan/chosen_config.h"

#include <fmt/format.h>

#include "models/plan/device_choice.h"
#include "models/plan/machine_rates.h"

namespace phasor::cli {

tasks::RunConfig chosen_config(const tasks::RunConfig& config, bool quiet) {
  const auto rates_of = [](const tasks::RunConfig& candidate, const tasks::PlannedRun& run) {
    return machine_rates(run.program, candidate, run.execution, false);
  };
  tasks::DeviceChoice choice = tasks::choose_for_device(config, rates_of);
  if (!choice.note.empty() && !quiet) fmt::print(stderr, "{}\n", choice.note);
  return std::move(choice.config);
}

}  // namespace phasor::cli
