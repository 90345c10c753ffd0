#include "models/plan/chosen_config.h"

#include <fmt/format.h>

#include "models/plan/device_choice.h"
#include "models/plan/machine_rates.h"

namespace phasor::run {

RunConfig chosen_config(const RunConfig& config, bool quiet) {
  const auto rates_of = [](const RunConfig& candidate, const PlannedRun& run) {
    return machine_rates(run.program, candidate, run.execution, false);
  };
  DeviceChoice choice = choose_for_device(config, rates_of);
  if (!choice.note.empty() && !quiet) fmt::print(stderr, "{}\n", choice.note);
  return std::move(choice.config);
}

}  // namespace phasor::run
