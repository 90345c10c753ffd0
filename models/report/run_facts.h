// run.json: what is known about a run when it starts, besides its configuration. The report reads it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/report/memory_profile.h"

namespace phasor::run {

// Names and values as they are shown: {"processor", "AMD EPYC"}.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

struct RunFacts {
  std::string summary;                // the model and how it is executed, in a line
  NamedTexts machine;                 // and the versions of what it runs on
  std::int64_t samples_per_step = 0;  // of all replicas together
  int replicas = 1;
  std::int64_t device_peak_bytes = 0, device_lower_bound_bytes = 0;
  std::int64_t device_budget_bytes = 0;  // 0: none was set
  MemoryProfile memory;
};

void write_run_facts(const std::string& path, const RunFacts& facts);
RunFacts read_run_facts(const std::string& path);

}  // namespace phasor::run
