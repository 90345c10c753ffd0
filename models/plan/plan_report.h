// What `phasor plan` says about a training step before it runs: what it takes and how long.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/program/memory/occupants.h"
#include "engine/program/simulate/simulator.h"
#include "models/plan/memory_use.h"

namespace phasor::run {

// The phases of one name in section `step`.
struct PhaseKind {
  std::string name;
  int phases = 0;
  std::int64_t peak_bytes = 0;                      // of the fullest of them
  BytesByContent held{};                            // at that moment; sums up to the peak
  std::int64_t loaded_bytes = 0, stored_bytes = 0;  // in all of them together
  PhaseSeconds seconds;                             // likewise
};

struct PlanReport {
  std::vector<PhaseKind> kinds;  // in the order in which they first run
  std::int64_t parameters = 0;
  int replicas = 1, accumulation = 1;
  std::int64_t micro_batch_size = 1;
  std::int64_t device_peak_bytes = 0, device_lower_bound_bytes = 0;
  std::int64_t remote_bytes = 0;  // of all replicas
  MemoryUse use;                  // of each tier
  Budgets budgets;
  double flops = 0;                                 // of a replica's matrix products
  std::int64_t loaded_bytes = 0, stored_bytes = 0;  // by a replica
  double step_seconds = 0;

  double samples_per_second() const;
};

// The kinds, and of the rest what follows from the program, its plan and its simulation.
PlanReport report_plan(const Program& program, const ProgramPlan& plan, const Simulation& simulation);

// A table of the kinds of phases, a line each, then the totals.
std::string to_text(const PlanReport& report);
nlohmann::ordered_json to_json(const PlanReport& report);

}  // namespace phasor::run
