// A small model within a budget of device memory, how long it may be thought to take, and what the budget leads to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "models/plan/planned_run.h"
#include "models/plan/resolve_run.h"

namespace phasor::run::budgets {

inline RunConfig run_within(std::int64_t budget) {
  RunConfig config;
  config.model = bert::Config{.layers = 2,
                              .hidden_size = 64,
                              .heads = 2,
                              .intermediate_size = 128,
                              .sequence_length = 32,
                              .max_positions = 32,
                              .vocab_size = 4000};
  config.training.global_batch_size = 16;
  config.execution.micro_batch_size = 4;
  config.execution.threads_per_replica = 1;
  config.execution.device_memory.bytes = budget;
  config.execution.zero_copy = false;  // activations are moved, which takes time
  config.execution.pack_weights = true;
  return config;
}

// Compute takes as long as the products say, transfers nothing: keeping activations is faster.
inline Rates compute_bound(const ResolvedRun&, const Pipeline&) { return {.product_flops_per_second = 1e9}; }
// The link is slow and compute is free: recomputing is faster.
inline Rates link_bound(const ResolvedRun&, const Pipeline&) {
  Rates rates;
  rates.load = rates.store = {.latency_seconds = 0, .bytes_per_second = 1e6};
  return rates;
}

inline Resolution resolve(const RunConfig& config, const RatesOf& rates) {
  return resolve_run(config, Purpose::train, rates);
}

inline PlannedRun planned(const RunConfig& config) { return plan_run(settle_defaults(config)); }

inline std::int64_t peak_with(Recompute recompute, std::int64_t slices) {
  RunConfig config = run_within(0);
  config.execution.recompute = recompute;
  config.execution.embedding_serialization_factor = slices;
  return planned(config).peak_bytes();
}

// Links and compute take alike: running ahead pays, as far as there is room for copies.
inline Rates balanced(const ResolvedRun&, const Pipeline&) {
  Rates rates{.product_flops_per_second = 1e9};
  rates.load = rates.store = {.latency_seconds = 1e-4, .bytes_per_second = 3e7};
  return rates;
}

// What a run that does not fit is told.
inline std::string refused(const RunConfig& config) {
  try {
    resolve(config, compute_bound);
  } catch (const UserError& error) {
    return error.what();
  }
  return "was not refused";
}

}  // namespace phasor::run::budgets
