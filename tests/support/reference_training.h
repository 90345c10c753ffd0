// A training step in double, by the reference kernels, a stage after the other: nothing of the engine's programs, plans
// and transforms takes part but the gradient rules.
#pragma once

#include "tests/support/training_run.h"

namespace phasor::test {

struct ReferenceStep {
  std::int64_t rows = 0;  // that the step's samples take
  double loss = 0;
  std::vector<std::string> names;  // of the canonical tensors
  std::vector<std::vector<double>> gradients;
};

// The first step of run_training(options), from the seed's weights, all of its rows in one micro-batch.
ReferenceStep reference_step(const test::RunOptions& options);

}  // namespace phasor::test
