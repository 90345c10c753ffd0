// What `phasor plan` says about a training step before it runs: what it takes and how long.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "engine/program/memory/occupants.h"
#include "engine/program/simulate/simulator.h"
#include "models/plan/memory_use.h"

namespace phasor::run {

// The phases of one name in section `step`, of a device.
struct PhaseKind {
  std::string name;
  int device = 0;
  int phases = 0;
  std::int64_t peak_bytes = 0;                      // of the fullest of them
  BytesByContent held{};                            // at that moment; sums up to the peak
  std::int64_t loaded_bytes = 0, stored_bytes = 0;  // in all of them together
  PhaseSeconds seconds;                             // likewise
};

// One of a replica's devices.
struct DeviceReport {
  std::int64_t peak_bytes = 0, lower_bound_bytes = 0;
  double flops = 0;
  double busy_seconds = 0, idle_share = 0;  // of a step: in phases without waiting for others; of what it waits
};

// How the devices of a pipeline share the step.
struct PipelineReport {
  std::vector<DeviceReport> devices;
  int groups = 1, parts = 1;  // of micro-batches; of the model, a device
  std::int64_t link_bytes = 0;
  double idle_share = 0;  // of all devices together

  // (p - 1) / (v m + p - 1) for p devices of v parts and m groups of equal cost.
  double textbook_idle_share() const;
};

// What scoring samples with the trained model takes of a replica's fullest device.
struct EvalReport {
  std::int64_t micro_batch_size = 1, device_bytes = 0;
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
  double flops = 0;                                 // of a replica's matrix products, on all its devices
  std::int64_t loaded_bytes = 0, stored_bytes = 0;  // by a replica
  double step_seconds = 0;
  PipelineReport pipeline;
  EvalReport eval;

  double samples_per_second() const;
};

// The kinds, and of the rest what follows from the programs, their plans and their simulation. Device memory is that of
// the fullest device.
PlanReport report_plan(const Pipeline& pipeline, std::span<const ProgramPlan> plans,
                       const PipelineSimulation& simulation);

// A table of the kinds of phases, a line each, then the totals.
std::string to_text(const PlanReport& report);
nlohmann::ordered_json to_json(const PlanReport& report);

}  // namespace phasor::run
