// The remote buffers through which the host and a program talk, besides the state of the variables. Rows are per
// replica; m counts its micro-batches, of which there are `accumulation`.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/stage.h"
#include "engine/remote/remote_buffer.h"

namespace phasor {

// Where activations between stages lie: those of one spec in one buffer, in order.
struct Boundaries {
  struct Place {
    int buffer = 0, number = 0;  // which of the buffers, and where among its activations
  };
  std::vector<Place> places;  // of the activation between instances b and b + 1
  std::vector<int> counts;    // activations of each buffer
};
Boundaries place_boundaries(const Stages& stages);
// The same where one device reads each once, in the stage that follows, as it does gradients, and activations where
// there are no gradients: two rows take turns, since what a stage makes may lie where that in front of it has read.
Boundaries take_turns(Boundaries boundaries);

struct HostBuffers {
  std::string program;  // prefix of all names
  int accumulation = 1;
  int iterations = 1;  // steps that the host prepares before the first of them runs: rows are those of one of them

  // Written by the host before a step. Row m.
  BufferSpec batch(const std::string& name, const TensorSpec& spec) const;
  // Position of stage instance s and micro-batch m (ir/records.h). Row s * accumulation + m.
  BufferSpec position(int instances) const;
  // What stochastic rounding of stage instance s draws from. Row s.
  BufferSpec update_position(int instances) const;
  // AdamStep. One row or, where the learning rates of stage instances differ, row s for instance s.
  BufferSpec adam_step(int rows) const;
  // What the loss is multiplied by before differentiation. One row.
  BufferSpec loss_scale() const;

  // Read by the host after a step. Row m.
  BufferSpec loss() const;
  // Before clipping, where there is any. One row.
  BufferSpec gradient_norm() const;
  BufferSpec result(const std::string& name, const TensorSpec& spec) const;

  // What instances of a stage carry from run to run, of all programs that do. Row n * accumulation + m for instance n.
  BufferSpec carried(const std::string& stage, const std::string& state, const TensorSpec& spec, int instances) const;

  // The program's own, batch-serial: row n * accumulation + m for the n-th of the `count` places that buffer number
  // `buffer` has (Boundaries).
  BufferSpec activation(int buffer, const TensorSpec& spec, int count) const;
  BufferSpec activation_gradient(int buffer, const TensorSpec& spec, int count) const;
  // What the slices of a unit have made so far of their activation, or of the gradient of what they read, where another
  // device gets it. Row m.
  BufferSpec partial(const std::string& unit, bool of_gradient, const TensorSpec& spec) const;
  // Activation k that a unit keeps for its gradient. Row n * accumulation + m for instance n of those that keep it.
  BufferSpec kept(const std::string& unit, int k, const TensorSpec& spec, int instances) const;

 private:
  BufferSpec of_steps(const std::string& name, const TensorSpec& row, std::int64_t rows) const;
};

}  // namespace phasor
