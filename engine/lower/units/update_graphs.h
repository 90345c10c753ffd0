// The graphs of an update: what the optimizer does, the norm of the gradients, the clip factor. All work on flat
// tensors of one replica's part of each variable.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/lower/units/options.h"
#include "engine/lower/units/placement.h"

namespace phasor {

// Where the random bits come from with which a variable's update is rounded, and its learning rate where they differ.
struct UpdateDraw {
  int position = 0;  // number of the stage instance among those of the unit that the update is for
  int number = 0;    // of the variable within its stage
};

// What an update changes of a variable: elements [first, first + elements) of the replica's part.
struct UpdateSlice {
  int variable = 0;  // into Unit::variables
  std::string name;  // of the variable
  bool decays = false;
  Placement placement;
  UpdateDraw draw;
  std::int64_t first = 0, elements = 0;

  bool is_whole() const { return elements == placement.local_elements; }
  // Of its state, what lies in front of the slice and what the slice takes, in bytes.
  std::int64_t offset(StateKind kind) const { return first * size_of(placement.dtype(kind)); }
  std::int64_t bytes(StateKind kind) const { return elements * size_of(placement.dtype(kind)); }
};

// The update positions that an update graph reads, and the records of a step.
int count_positions(const std::vector<UpdateSlice>& slices);
int count_steps(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options);

// For each slice w, those of m and v that the optimizer keeps, g, then steps and, with clipping, clip -> for each slice
// w, m, v as they came in and, where there is one, the rounded copy.
// Weights that are kept in bf16 are rounded at random: behind them come as many update positions as their draws name.
Graph update_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options);

// The two passes of LAMB (kernels/optimizers/lamb.h) and what stands between them.
// For each slice w, m, v, g, sums, then steps and clip -> for each slice m, v, sums.
Graph lamb_moments_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options);
// A variable's sums, of `replicas` one behind the other -> ratio [1].
Graph lamb_ratio_graph(int replicas);
// For each slice w, m, v, ratio, then steps and positions -> for each slice w and, where there is one, the rounded
// copy.
Graph lamb_weights_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options);

// The passes of Adafactor (kernels/optimizers/adafactor.h), of slices that are whole rows of matrices.
// For each slice g, sums of rows, sums of columns, then steps and clip -> for each slice both sums.
Graph adafactor_sums_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options);
// For each variable, whole, its moments and sums, then steps -> for each its moments and factors.
Graph adafactor_factors_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options);
// For each slice g, squares, factors of rows and of columns, then steps and clip -> for each slice squares.
Graph adafactor_squares_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options);
// For each slice w, g, squares, factors of rows and of columns, then steps, clip and positions -> for each slice w and,
// where there is one, the rounded copy.
Graph adafactor_weights_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options);

// g of each variable, then the sum so far -> the sum with their squares. At least one variable.
Graph square_sum_graph(const std::vector<Placement>& placements);

// The sums over sharded variables of each of the replicas, and that over the others, step -> clip [1].
Graph clip_graph(const OptimizerOptions& options, int replicas);

}  // namespace phasor
