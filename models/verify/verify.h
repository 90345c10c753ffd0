// Proves that ways to execute a configuration give the same bits, or says where they part.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/listener/listener.h"
#include "models/config/config_file.h"
#include "models/verify/compare/result.h"
#include "models/verify/executions/execution.h"

namespace phasor::run {

struct VerifyRequest {
  RunConfig config;
  // What each other execution is told otherwise; none, and no others: one, in the other execution.mode.
  std::vector<Settings> against;
  std::vector<std::string> transformers;  // Pythons, in each of which a model of Transformers is another execution
  std::vector<std::string> records;       // what runs have left, to be held against: output folders, checkpoints
  std::int64_t steps = 10;                // at most as many as the run has left
  bool activations = false;               // whether those are compared, too, and the gradients by them
  // Parts of execution number i, the first being 0; null: all are as the configuration says.
  std::function<ExecutionParts(std::size_t i)> parts;
};

// Executes the configuration and the others step by step on the same samples, from the same state on, and compares
// losses, weights and moments behind every step: tensors by their canonical names, so that layout, sharding and
// replicas do not matter. Where the others may round otherwise, says whether rounding explains the difference
// (bound.h). All are in memory at once: where they have no room together, nothing of them begins (memory_claims.h).
// What runs save and write about themselves is left out.
VerifyResult verify(const VerifyRequest& request, io::Listener& listener);

}  // namespace phasor::run
