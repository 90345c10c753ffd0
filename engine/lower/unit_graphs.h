// The graphs that a unit runs in training, derived from its forward graph.
#pragma once

#include <limits>
#include <vector>

#include "engine/lower/options.h"
#include "engine/lower/placement.h"
#include "engine/lower/unit.h"

namespace phasor {

// What an input or output of a derived graph is to the unit; `index` says which where there are several.
enum class Role : std::uint8_t {
  x,            // activation in
  y,            // activation out
  dx,           // gradient of x
  dy,           // gradient of y
  batch,        // index: into Unit::batch
  position,     // index: into Unit::positions
  loss_scale,   // the gradient of the loss
  loss,         //
  result,       // index: into Unit::results
  weight,       // index: into Unit::variables
  packed,       // index: of the packed weight
  accumulator,  // index: into Unit::variables; the gradient so far, updated in place
  kept,         // index: of the kept activation
};

struct Port {
  Role role{};
  int index = 0;
};

struct UnitGraph {
  Graph graph;
  std::vector<Port> inputs, outputs;  // of the graph, in order

  // What runs once for all micro-batches: from weights to their packed forms. Without nodes where nothing is packed.
  Graph packing;
  std::vector<int> packed_variables;  // of packing's inputs, in order: into Unit::variables

  std::vector<int> weights() const;  // the variables that one of the graphs reads, ascending
};

struct TrainingGraphs {
  UnitGraph forward;   // x -> y, kept; empty for a unit with a loss, whose forward part runs with its gradient
  UnitGraph gradient;  // x, dy, kept, accumulators -> dx, accumulators, loss
  std::vector<TensorSpec> kept;
};

// In a graph of several stage instances, those from `first_kept` on keep their activations even with Recompute::layer.
inline constexpr int kNoStage = std::numeric_limits<int>::max();
TrainingGraphs training_graphs(const Unit& unit, Recompute recompute, int first_kept = kNoStage);

// The same, with the weights of products packed beforehand where the machine gains by it.
UnitGraph pack_weights(const UnitGraph& graph);

// x -> y, results: no gradient will follow.
UnitGraph inference_graph(const Unit& unit);

// Everything below works on flat tensors of one replica's part of each variable.

// Where the random bits come from with which a variable's update is rounded.
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

// The update positions that an update graph reads.
int count_positions(const std::vector<UpdateSlice>& slices);

// For each slice w, m, v, g, then step and, with clipping, clip -> for each slice w, m, v and, where there is one, the
// rounded copy.
// Weights that are kept in bf16 are rounded at random: behind them come as many update positions as their draws name.
Graph update_graph(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options);

// g of each variable, then the sum so far -> the sum with their squares. At least one variable.
Graph square_sum_graph(const std::vector<Placement>& placements);

// The sums over sharded variables of each of the replicas, and that over the others, step -> clip [1].
Graph clip_graph(const OptimizerOptions& options, int replicas);

}  // namespace phasor
